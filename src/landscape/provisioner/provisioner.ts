import type { IncomingHttpHeaders } from 'node:http';
import { graphql, GraphQLError, parse, validate } from 'graphql';
import { z } from 'zod';
import { serveKubernetes } from '../kubernetes/serve-kubernetes.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { provisionerSchema } from './provisioner-schema.ts';
import type { KymaInput, RuntimeInput, ShootInput } from './runtime-config.ts';
import { operationStates } from './runtime-operation.ts';
import { Runtimes, type Caller } from './runtimes.ts';

type Id = { readonly id: string };

/** The Runtime Provisioner, for a broker that is tested without ours and without Gardener. */
export const provisioner: MakeSystem = (surroundings) => {
  const runtimes = new Runtimes(surroundings);

  /** The root fields. */
  const rootFor = (caller: Caller) => ({
    provisionRuntime: ({ config }: { config: RuntimeInput }) =>
      runtimes.provision(caller, config).answer(),
    upgradeRuntime: ({ id, config }: Id & { config: { kymaConfig: KymaInput } }) =>
      runtimes.upgradeKyma(caller, id, config.kymaConfig).answer(),
    upgradeShoot: ({ id, config }: Id & { config: ShootInput }) =>
      runtimes.upgradeShoot(caller, id, config).answer(),
    deprovisionRuntime: ({ id }: Id) => runtimes.deprovision(caller, id).record.id,
    reconnectRuntimeAgent: ({ id }: Id) => runtimes.reconnectAgent(caller, id)?.record.id ?? '',
    runtimeOperationStatus: ({ id }: Id) => runtimes.getOperation(caller, id).answer(),
    runtimeStatus: ({ id }: Id) => runtimes.get(caller, id).answer(),
  });

  return {
    name: 'provisioner',
    inventory: runtimes.inventory,
    state: runtimes.state,
    serve(app) {
      app.get('/healthz', async () => 'ok');
      app.addHook('preClose', async () => runtimes.close());
      serveKubernetes(app, '/clusters/:shoot', ({ shoot = '' }) => runtimes.cluster(shoot));
      app.post('/graphql', async ({ body, headers }, reply) => {
        const asked = z.object({ query: z.string() }).safeParse(body);
        if (!asked.success)
          return reply.code(400).send({ errors: [{ message: 'transport not supported' }] });
        const source = asked.data.query;
        const complaints = complaintsAbout(source);
        if (complaints.length > 0) return reply.code(422).send({ errors: complaints, data: null });
        const rootValue = rootFor(callerOf(headers));
        return graphql({ schema: provisionerSchema, source, rootValue });
      });

      // Two switches that the real one does not have, to stage what happens to it rarely.
      app.put<{ Params: Id }>('/operations/:id', async ({ params, body }, reply) => {
        const outcome = Outcome.safeParse(body);
        if (!outcome.success)
          return reply.code(400).send({ error: z.prettifyError(outcome.error) });
        const operation = runtimes.findOperation(params.id);
        if (operation) operation.record.staged = outcome.data;
        return reply.code(operation ? 204 : 404).send();
      });
      app.put<{ Params: Id }>('/runtimes/:id/kubeconfig', async ({ params, body }, reply) => {
        const staged = z.object({ kubeconfig: z.string().nullable() }).safeParse(body);
        if (!staged.success) return reply.code(400).send({ error: z.prettifyError(staged.error) });
        const runtime = runtimes.find(params.id);
        if (runtime) runtime.record.stagedKubeconfig = staged.data.kubeconfig;
        return reply.code(runtime ? 204 : 404).send();
      });
    },
  };
};

const Outcome = z.strictObject({
  state: z.enum(operationStates),
  message: z.string().default('as staged'),
  lastError: z
    .strictObject({ errMessage: z.string(), reason: z.string(), component: z.string() })
    .default({ errMessage: '', reason: '', component: '' }),
});

const callerOf = (headers: IncomingHttpHeaders): Caller => ({
  tenant: String(headers['tenant'] ?? ''),
  subaccount: String(headers['sub-account'] ?? ''),
  idempotencyKey: String(headers['idempotency-key'] ?? ''),
});

/** A document that does not fit the schema is refused as a whole, with a code of GraphQL's but none of the provisioner's. */
function complaintsAbout(source: string): readonly unknown[] {
  const complaint = (error: GraphQLError, code: string) => ({
    ...error.toJSON(),
    extensions: { code },
  });
  try {
    return validate(provisionerSchema, parse(source)).map((error) =>
      complaint(error, 'GRAPHQL_VALIDATION_FAILED'),
    );
  } catch (error) {
    if (error instanceof GraphQLError) return [complaint(error, 'GRAPHQL_PARSE_FAILED')];
    throw error;
  }
}
