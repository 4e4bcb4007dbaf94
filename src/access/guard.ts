import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccessDenied } from './access-denied.ts';
import type { Identity, Right } from './identity.ts';

/** Who it is. Throws if they do not have the right. */
export type Authorize = (request: FastifyRequest, right: Right) => Promise<Identity | undefined>;

/** Something that an app serves. */
export type Place = {
  readonly method: string;
  readonly path: string;
  /** Nobody gets in where none is said. */
  readonly right: Right | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where nobody was asked for a name. */
    caller: Identity | undefined;
  }
  interface FastifyInstance {
    /** All that it serves, and who may come. */
    readonly places: readonly Place[];
  }
  interface FastifyContextConfig {
    /** Who may come here: every route has to say. */
    right?: Right;
  }
}

/** Asks who comes in, before anything else of a request is read. A route that says nothing of its right is closed. */
export function guard(app: FastifyInstance, authorize: Authorize): void {
  listPlaces(app, ({ config }) => config?.right);
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { right } = request.routeOptions.config;
    if (right === undefined)
      throw new AccessDenied(403, 'closed', 'nobody has been given access to this');
    try {
      request.caller = await authorize(request, right);
    } catch (error) {
      request.caller = refusedCaller(error);
      throw error;
    }
  });
}

type Route = { readonly url: string; readonly config?: { readonly right?: Right } };

/** Fills `app.places` from now on. */
export function listPlaces(
  app: FastifyInstance,
  rightOf: (route: Route) => Right | undefined,
): void {
  const places: Place[] = [];
  app.decorate('places', places);
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat())
      places.push({ method, path: route.url, right: rightOf(route) });
  });
}

/** Somebody whose name is known, and who has not the right. */
export function refusedCaller(error: unknown): Identity | undefined {
  const denied =
    error instanceof Error && error.cause instanceof AccessDenied ? error.cause : error;
  return denied instanceof AccessDenied ? denied.identity : undefined;
}
