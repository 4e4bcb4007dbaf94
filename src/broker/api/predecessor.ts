import type { PoolClient } from 'pg';
import type { Binding, BindingFacts } from '../binding.ts';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import type { Api } from './api.ts';
import { lockBinding } from './binding-state.ts';
import type { AskedBinding } from './same-binding.ts';

/** The binding that the new one replaces, if it replaces one. It stays as good as it is. */
export async function predecessorOf(
  api: Api,
  { bindingId, instanceId, asked }: BindingFacts & { readonly asked: AskedBinding },
  db: PoolClient,
): Promise<Binding | undefined> {
  const { predecessorId } = asked;
  if (predecessorId === undefined) return undefined;
  const unusable = (why: string) =>
    new Refusal(
      'PREDECESSOR_UNUSABLE',
      `predecessor_binding_id is ${shortened(predecessorId)}: ${why}, allowed is a binding of instance ${instanceId} that is ready`,
    );
  if (predecessorId === bindingId) throw unusable('that is the new binding itself');
  const found = await lockBinding(api, { bindingId: predecessorId, instanceId }, db);
  switch (found?.state) {
    case 'ready':
      return found.binding;
    case 'creating':
      throw new Refusal('OPERATION_IN_PROGRESS', `the binding ${predecessorId} is being created`);
    case 'removing':
      throw new Refusal('OPERATION_IN_PROGRESS', `the binding ${predecessorId} is being removed`);
    case 'expired':
      throw unusable('it has expired');
    case 'broken':
      throw unusable('it has failed');
    case undefined:
      throw unusable('there is none');
  }
}
