import type { MakeSystem } from './contract.ts';

/** Notes what a simulator serves, as 'GET /tenants/{id}'; what ends in * is everything below. */
export const noting =
  (make: MakeSystem, routes: Set<string>): MakeSystem =>
  (surroundings) => {
    const system = make(surroundings);
    return {
      ...system,
      serve(app) {
        app.addHook('onRoute', ({ method, url }) => {
          const path = url.slice(`/${system.name}`.length).replace(/:(\w+)/g, '{$1}');
          for (const each of [method].flat()) if (each !== 'HEAD') routes.add(`${each} ${path}`);
        });
        system.serve(app);
      },
    };
  };

/** The route that answers: of those that fit, the one that leaves least open. */
export function routeFor(endpoint: string, routes: Iterable<string>): string | undefined {
  const openness = (route: string) => (route.endsWith('*') ? Infinity : route.split('{').length);
  const [method, path = ''] = endpoint.split(/[ ?]/);
  return [...routes]
    .toSorted((a, b) => openness(a) - openness(b))
    .find((route) => {
      const [itsMethod, itsPath = ''] = route.split(' ');
      const below = itsPath.replace(/\*$/, '');
      return (
        itsMethod === method && (fits(itsPath, path) || (below !== itsPath && isBelow(below, path)))
      );
    });
}

const fits = (route: string, path: string) => {
  const [theirs, ours] = [route.split('/'), path.split('/')];
  return (
    theirs.length === ours.length && theirs.every((part, n) => isAny(part) || part === ours[n])
  );
};
const isBelow = (route: string, path: string) => {
  const parts = route.split('/').length - 1;
  return fits(route, [...path.split('/').slice(0, parts), ''].join('/'));
};
const isAny = (part: string) => /^\{\w+\}$/.test(part);
