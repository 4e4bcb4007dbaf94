import type { Answer, Outcome } from './contract.ts';

/** Whoever does not speak GraphQL is a gateway: waited out, whatever its status. */
export const gateways = {
  refusal: () => ({ body: '<html>canary-graphql-gateway</html>' }),
  on: Object.fromEntries(
    [400, 401, 403, 404, 409].map((status) => [status, { temporary: true }] as const),
  ),
};

/** A refusal in GraphQL's own words. */
export const refused = (extensions: object, gives: Outcome, message = 'no'): Answer => ({
  status: 200,
  body: { data: null, errors: [{ message, extensions }] },
  gives,
});
