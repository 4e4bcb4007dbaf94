import { z } from 'zod';
import type { Place, Right } from '#access';
import type { OperatorRoute } from '../api/operator-route.ts';

/** What is said of places that are no operator routes, by their paths without a prefix. */
const others: Readonly<Record<string, string>> = {
  'GET /v2/catalog': 'What is offered (Open Service Broker)',
  'PUT /v2/service_instances/{instanceId}': 'Order a runtime (Open Service Broker)',
  'GET /v2/service_instances/{instanceId}': 'One instance (Open Service Broker)',
  'PATCH /v2/service_instances/{instanceId}': 'Change a runtime (Open Service Broker)',
  'DELETE /v2/service_instances/{instanceId}': 'Give a runtime back (Open Service Broker)',
  'GET /v2/service_instances/{instanceId}/last_operation':
    'How the last operation stands (Open Service Broker)',
  'PUT /v2/service_instances/{instanceId}/service_bindings/{bindingId}':
    'A kubeconfig that expires (Open Service Broker)',
  'GET /v2/service_instances/{instanceId}/service_bindings/{bindingId}':
    'One binding (Open Service Broker)',
  'DELETE /v2/service_instances/{instanceId}/service_bindings/{bindingId}':
    'Revoke a kubeconfig (Open Service Broker)',
  'GET /v2/service_instances/{instanceId}/service_bindings/{bindingId}/last_operation':
    'How the last operation of a binding stands (Open Service Broker)',
  'GET /kubeconfig': 'Refused: which one is not said',
  'GET /kubeconfig/{instanceId}': 'A kubeconfig with which people log in to a runtime',
  'GET /healthz': 'Whether the process answers',
  'GET /readyz': 'Whether it can store what it accepts',
  'GET /metrics': 'Metrics, for Prometheus',
  'GET /openapi.json': 'This description',
};

const osbBodies = z.object({
  service_id: z.string(),
  plan_id: z.string(),
  context: z.object({}).loose().optional(),
  parameters: z.object({}).loose().optional(),
});

/** OpenAPI 3.1 of all that is served, but for the files of the console and of this description. */
export function describeApi(
  places: readonly Place[],
  routes: readonly OperatorRoute[],
  about: { readonly version: string; readonly url: string },
) {
  const known = new Map(routes.map((each) => [`${each.method} ${each.path}`, each]));
  const paths: Record<string, Record<string, object>> = {};
  for (const place of places.filter(isDescribed)) {
    const path = withBraces(place.path);
    (paths[path] ??= {})[place.method.toLowerCase()] = operationOf(
      place,
      path,
      known.get(`${place.method} ${place.path}`),
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Environment broker',
      description: 'Managed Kyma runtimes: the Open Service Broker API, and what operators need.',
      version: about.version,
    },
    servers: [{ url: about.url }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        credentials: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

/** Pages and files for people are not an interface. */
export const isDescribed = ({ method, path }: Place): boolean =>
  method !== 'HEAD' &&
  method !== 'OPTIONS' &&
  !/^\/(?:$|ui\b|callback$|console\/|swagger\b)/.test(path) &&
  !path.includes('*') &&
  !path.endsWith('/');

export const withBraces = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

function operationOf({ method, right }: Place, path: string, route: OperatorRoute | undefined) {
  const osb = /^(?:\/oauth(?:\/\{region\})?)?(\/v2\/.*)$/.exec(path);
  const summary = route?.about ?? others[`${method} ${osb?.[1] ?? path}`];
  if (summary === undefined) throw new Error(`nobody has said what ${method} ${path} is for`);
  const takesBody = route ? route.body : osb && (method === 'PUT' || method === 'PATCH');
  return {
    summary,
    tags: [osb ? 'Open Service Broker' : (path.split('/')[1] ?? '')],
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-zA-Z0-9]+(\w?)/g, (_all, next: string) => next.toUpperCase())}`,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string', maxLength: 255 },
      })),
      ...(osb ? [versionHeader] : []),
      ...queryParameters(route?.query),
    ],
    ...(takesBody && { requestBody: bodyOf(route) }),
    responses: responsesOf(route),
    ...securityOf(right),
  };
}

const versionHeader = {
  name: 'X-Broker-API-Version',
  in: 'header',
  required: true,
  schema: { type: 'string', examples: ['2.17'] },
};

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
};

/** As callers write it; what becomes of it inside is nobody's business. */
const schemaOf = (schema: z.ZodType): ObjectSchema => {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return written as ObjectSchema; // a query and a body are objects
};

function queryParameters(query: z.ZodType | undefined) {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema,
  }));
}

function bodyOf(route: OperatorRoute | undefined) {
  const schema = schemaOf(route?.body ?? osbBodies);
  const type = route?.form ? 'application/x-www-form-urlencoded' : 'application/json';
  return { content: { [type]: { schema } } };
}

function responsesOf(route: OperatorRoute | undefined) {
  const error = { description: 'Refused; the body says why' };
  const isStream = route?.path.endsWith('/stream');
  const type = isStream ? 'text/event-stream' : 'application/json';
  const schema = route?.answers ? schemaOf(route.answers) : {};
  const content = { [type]: { schema } };
  const done = { description: 'Done', content };
  const accepted =
    route && route.method !== 'GET' ? { 202: { description: 'Accepted', content } } : {};
  return { 200: done, ...accepted, '4XX': error, '5XX': { description: 'Our fault, or not now' } };
}

/** Rights beyond a token are said in words: tokens have scopes and groups, and the formats know only scopes. */
function securityOf(right: Right | undefined) {
  if (right === 'everybody' || right === undefined) return { security: [] };
  const said =
    right === 'somebody'
      ? 'any valid token'
      : 'scope' in right
        ? `scope ${right.scope}`
        : `one of the groups ${right.anyGroupOf.join(', ')}`;
  const isOsb = typeof right === 'object' && 'scope' in right && right.scope === 'broker:write';
  return {
    description: `Asks for ${said}.`,
    security: [{ token: [] }, ...(isOsb ? [{ credentials: [] }] : [])],
  };
}
