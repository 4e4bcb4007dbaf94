import { CloudRefusal } from '../cloud-refusal.ts';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { activeDirectory } from './active-directory.ts';
import { groupDocument } from './documents.ts';
import { AzureResources } from './resources.ts';
import { azureRoutes, type Answer, type Place, type Query, type Route } from './routes.ts';

/** Azure Resource Manager with Event Hubs, and Azure AD beside it: both have the same base URL here. */
export const azure: MakeSystem = (surroundings) => {
  const directory = activeDirectory(surroundings.time);
  const resources = new AzureResources(surroundings);
  const routes = azureRoutes(resources, surroundings);

  return {
    name: 'azure',
    inventory: () => ({
      resourceGroups: resources.groups().map((group) => ({
        subscription: group.subscription,
        name: group.name,
        location: group.location,
        tags: group.tags,
        state: groupDocument(group).properties.provisioningState,
        askedBy: group.askedBy,
      })),
      namespaces: resources.groups().flatMap((group) =>
        [...group.namespaces.values()].map((namespace) => ({
          group: group.name,
          name: namespace.name,
          state: resources.stateOf(namespace),
          askedBy: namespace.askedBy,
        })),
      ),
    }),
    state: keeping({ directory, resources }),
    serve(app) {
      directory.serve(app);
      app.all<{ Params: { '*': string }; Querystring: Query }>(
        '/subscriptions/*',
        { onRequest: directory.check },
        async ({ method, params, query, body }, reply) => {
          const answer = orRefusal(() => {
            const [route, place] = routeTo(routes, method, params['*'], query['api-version']);
            return route.answer(place, { body, query });
          });
          return reply
            .code(answer.status)
            .headers(answer.headers ?? {})
            .send(answer.body);
        },
      );
    },
  };
};

function routeTo(
  routes: readonly Route[],
  method: string,
  where: string,
  version: string | undefined,
): [Route, Place] {
  if (!version) throw new CloudRefusal(400, 'MissingApiVersionParameter', 'api-version is missing');
  const fitting = routes.filter((route) => route.method === method && route.path.test(where));
  if (fitting.length === 0) throw new CloudRefusal(404, 'InvalidResourceType', 'nothing is here');
  const route = fitting.find(({ api }) => api === version);
  if (!route) throw new CloudRefusal(400, 'InvalidApiVersionParameter', `no version ${version}`);
  return [route, route.path.exec(where)?.groups ?? {}];
}

function orRefusal(act: () => Answer): Answer {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof CloudRefusal)) throw error;
    const { status, code, message } = error;
    return { status, body: { error: { code, message } } };
  }
}
