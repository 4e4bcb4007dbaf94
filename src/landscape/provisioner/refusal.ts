import { GraphQLError } from 'graphql';

type Refusal = { readonly code: number; readonly reason: string; readonly component: string };

const own = { reason: 'err_provisioner_internal', component: 'provisioner' };
const database = 'db - provisioner';

/** What the provisioner says no with. Codes of the database are its own. */
const refusals = {
  'bad request': { code: 400, ...own },
  internal: { code: 500, ...own },
  'not found': { code: 2, reason: 'err_db_not_found', component: database },
  'database error': { code: 1, reason: 'err_db_internal', component: database },
  'already exists': { code: 500, reason: 'AlreadyExists', component: 'k8s client - gardener' },
} as const satisfies Record<string, Refusal>;

export function refuse(kind: keyof typeof refusals, message: string): GraphQLError {
  const { code, reason, component } = refusals[kind];
  const extensions = { error_code: code, error_reason: reason, error_component: component };
  return new GraphQLError(message, { extensions });
}
