import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { minutes, type Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';

/** How long after its creation a tenant's parts can be reached; and a certificate's way to be signed. */
const delays = { elasticsearch: minutes(3), kibana: minutes(5), certificate: minutes(1) };

const NewTenant = z.object({
  name: z.string().regex(/^[A-Za-z0-9]{1,50}$/),
  region: z.enum(['eu', 'us', 'aus']),
  samlGroups: z.array(z.string()).min(1),
  clusterType: z.enum(['ha', 'single-node']),
  datacenter: z.string().min(1),
  environment: z.string().min(1),
  project: z.string().min(1),
  samlTenant: z.string().min(1),
  costcenter: z.number(),
  globalAccountID: z.string(),
});
const NewCertificate = z.object({ certId: z.number(), csr: z.string().refine(isRequest) });

type Tenant = {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly createdAt: Milliseconds;
  /** The number of a certificate is its place. */
  readonly certificates: { readonly askedAt: Milliseconds; readonly askedBy: string }[];
  readonly askedBy: string;
};
type Place = { Params: { id: string; number: string } };

/** Logging tenants. Nothing is unique but the ID, and nothing is ever deleted: a create that is repeated costs a cluster. */
export const lms: MakeSystem = ({ time, url, caller }) => {
  const tenants = new Map<string, Tenant>();
  const isOver = (since: Milliseconds, delay: Milliseconds) => time.now() >= since + delay;
  const isReady = ({ createdAt }: Tenant) => isOver(createdAt, delays.kibana);

  return {
    name: 'lms',
    inventory: () => ({
      tenants: [...tenants.values()].map((tenant) => ({
        id: tenant.id,
        name: tenant.name,
        region: tenant.region,
        ready: isReady(tenant),
        askedBy: tenant.askedBy,
      })),
      certificates: [...tenants.values()].flatMap(({ id, certificates }) =>
        certificates.map(({ askedAt, askedBy }, number) => ({
          tenant: id,
          number,
          signed: isOver(askedAt, delays.certificate),
          askedBy,
        })),
      ),
    }),
    state: keeping({ tenants }),
    serve(app) {
      app.addHook('onRequest', checkToken);

      app.post('/tenants', async ({ body }, reply) => {
        const wanted = NewTenant.safeParse(body);
        if (!wanted.success) return refuse(reply, 400, z.prettifyError(wanted.error));
        const { name, region } = wanted.data;
        const id = `tenant-${randomUUID()}`;
        const asked = { createdAt: time.now(), askedBy: caller() };
        tenants.set(id, { id, name, region, ...asked, certificates: [] });
        return { id };
      });
      app.get<Place>('/tenants/:id', async ({ params: { id } }, reply) =>
        tenants.has(id) ? { id, dns: `${id}.lms.example.com` } : refuse(reply, 404, 'no tenant'),
      );
      app.get<Place>('/tenants/:id/status', async ({ params }, reply) => {
        const tenant = tenants.get(params.id);
        if (!tenant) return refuse(reply, 404, 'no tenant');
        return {
          kibanaDNSResolves: isReady(tenant),
          elasticsearchDNSResolves: isOver(tenant.createdAt, delays.elasticsearch),
          kibanaState: isReady(tenant) ? 'green' : 'pending',
        };
      });
      app.post<Place>('/tenants/:id/certs', async ({ params: { id }, body }, reply) => {
        const wanted = NewCertificate.safeParse(body);
        if (!wanted.success) return refuse(reply, 400, z.prettifyError(wanted.error));
        const tenant = tenants.get(id);
        if (!tenant) return refuse(reply, 404, 'no tenant');
        const asked = { askedAt: time.now(), askedBy: caller() };
        const number = tenant.certificates.push(asked) - 1;
        return { callbackUrl: `${url()}/tenants/${id}/certs/${number}` };
      });
      app.get<Place>('/tenants/:id/certs/ca', async ({ params: { id } }, reply) => {
        const tenant = tenants.get(id);
        if (!tenant || !isReady(tenant)) return refuse(reply, 404, 'no CA certificate yet');
        return { cert: certificate(`CA of ${id}`) };
      });
      app.get<Place>('/tenants/:id/certs/:number', async ({ params: { id, number } }, reply) => {
        const found = tenants.get(id)?.certificates[Number(number)];
        if (!found || !isOver(found.askedAt, delays.certificate))
          return refuse(reply, 404, 'not signed yet');
        return { cert: certificate(`${id} ${number}`) };
      });
    },
  };
};

const refuse = (reply: FastifyReply, status: number, message: string) =>
  reply.code(status).send({ message, error: String(status) });

/** Any token will do: there are no accounts to set up in a simulator. */
async function checkToken({ headers }: FastifyRequest, reply: FastifyReply) {
  return headers['x-lms-token'] ? undefined : refuse(reply, 401, 'X-LMS-Token is missing');
}

/** As far as it can be seen from outside: one DER sequence, to its last byte. */
function isRequest(pem: string): boolean {
  const [, base64 = ''] =
    /^-----BEGIN CERTIFICATE REQUEST-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE REQUEST-----\n?$/.exec(
      pem,
    ) ?? [];
  const der = Buffer.from(base64, 'base64');
  return der.length > 4 && der.readUInt16BE(0) === 0x3082 && der.readUInt16BE(2) === der.length - 4;
}

/** Looks like one, and names whom it is for; nobody out here checks its signature. */
const certificate = (subject: string) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(subject).toString('base64')}\n-----END CERTIFICATE-----\n`;
