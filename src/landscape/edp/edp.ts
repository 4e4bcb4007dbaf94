import { z } from 'zod';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { Tokens } from '../tokens.ts';

const Tenant = z.object({
  name: z.string().min(1),
  environment: z.string().min(1),
  secret: z.string().min(1),
});
const Metadata = z.object({ key: z.string().min(1), value: z.string() });
type Place = { Params: { namespace: string; name: string; environment: string; key: string } };

/** Event Data Platform: tenants by name and environment, metadata that need their tenant. */
export const edp: MakeSystem = ({ time, caller }) => {
  const tenants = new Map<string, { metadata: Map<string, string>; askedBy: string }>();
  // Whoever names a namespace and brings any secret: there are no accounts to set up in a simulator.
  const tokens = new Tokens(time, (id, secret) => /^edp-namespace;.+/.test(id) && secret !== '');
  const keyOf = ({ namespace, name, environment }: Place['Params']) =>
    `${namespace}/${name}/${environment}`;

  return {
    name: 'edp',
    inventory: () => ({
      dataTenants: [...tenants].map(([id, { metadata, askedBy }]) => ({
        id,
        metadata: Object.fromEntries(metadata),
        askedBy,
      })),
    }),
    state: keeping({ tenants, tokens }),
    serve(app) {
      tokens.serve(app, '/oauth2/token');
      const guarded = { onRequest: tokens.check };
      const base = '/namespaces/:namespace/dataTenants';
      const tenant = `${base}/:name/:environment`;

      app.post<Place>(base, guarded, async ({ params, body }, reply) => {
        const wanted = Tenant.safeParse(body);
        if (!wanted.success)
          return reply.code(400).send({ message: z.prettifyError(wanted.error) });
        const key = keyOf({ ...params, ...wanted.data });
        if (tenants.has(key)) return reply.code(409).send({ message: 'data tenant exists' });
        tenants.set(key, { metadata: new Map(), askedBy: caller() });
        return reply.code(201).send();
      });
      app.delete<Place>(tenant, guarded, async ({ params }, reply) =>
        reply.code(tenants.delete(keyOf(params)) ? 204 : 404).send(),
      );
      app.post<Place>(`${tenant}/metadata`, guarded, async ({ params, body }, reply) => {
        const metadata = tenants.get(keyOf(params))?.metadata;
        const entry = Metadata.safeParse(body);
        if (!entry.success) return reply.code(400).send({ message: z.prettifyError(entry.error) });
        if (!metadata) return reply.code(404).send({ message: 'no such data tenant' });
        if (metadata.has(entry.data.key))
          return reply.code(409).send({ message: 'metadata exists' });
        metadata.set(entry.data.key, entry.data.value);
        return reply.code(201).send();
      });
      app.get<Place>(`${tenant}/metadata`, guarded, async ({ params }, reply) => {
        const metadata = tenants.get(keyOf(params))?.metadata;
        if (!metadata) return reply.code(404).send({ message: 'no such data tenant' });
        const { namespace, name, environment } = params;
        const dataTenant = { namespace: { name: namespace }, name, environment };
        return [...metadata].map(([key, value]) => ({ dataTenant, key, value }));
      });
      app.delete<Place>(`${tenant}/metadata/:key`, guarded, async ({ params }, reply) =>
        reply.code(tenants.get(keyOf(params))?.metadata.delete(params.key) ? 204 : 404).send(),
      );
    },
  };
};
