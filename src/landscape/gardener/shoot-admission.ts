import type { Change } from '../kubernetes/kinds-served.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { secretBinding, shoot } from '../kubernetes/kinds.ts';
import { valueAt } from '../kubernetes/kubernetes-object.ts';
import { forbidden, invalid } from '../kubernetes/status-error.ts';

const confirmation = 'confirmation.gardener.cloud/deletion';

/** What Gardener asks of everybody who creates or deletes a shoot. */
export const admitShoot = (api: KubernetesApi) => (change: Change) => {
  switch (change.operation) {
    case 'CREATE': {
      const { metadata, spec } = change.object;
      const { name, namespace = '' } = metadata;
      const account = valueAt(spec, ['secretBindingName']);
      if (typeof account !== 'string' || account === '')
        throw invalid(shoot, name, 'spec.secretBindingName', 'Required value: must be given');
      if (!api.get(secretBinding, { namespace, name: account }))
        throw forbidden(shoot, name, `there is no SecretBinding "${account}" in ${namespace}`);
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), 'gardener'])];
      return;
    }
    case 'DELETE': {
      const { name, annotations } = change.before.metadata;
      if (annotations?.[confirmation] === 'true') return;
      throw forbidden(shoot, name, `its annotation ${confirmation} must be "true" before`);
    }
    case 'UPDATE':
      return;
  }
};
