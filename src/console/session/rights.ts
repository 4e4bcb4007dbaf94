import { signal } from '@preact/signals';
import type { Me } from '../api-types.ts';

/** Undefined until somebody has signed in, or the broker has said that nobody needs to. */
export const me = signal<Me | undefined>(undefined);

const groupsOf = {
  'see runtimes': ['runtimeAdmin', 'runtimeOperator', 'runtimeViewer'],
  'steer operations': ['runtimeAdmin', 'runtimeOperator'],
  'see orchestrations': ['runtimeAdmin', 'runtimeOperator', 'runtimeViewer', 'orchestrationsAdmin'],
  'steer orchestrations': ['orchestrationsAdmin'],
} as const;
export type Ability = keyof typeof groupsOf | 'order runtimes';

/** The broker decides anew at each request; this only spares people buttons that would be refused. */
export function can(ability: Ability): boolean {
  if (!me.value) return false;
  const { authentication, groups, scopes } = me.value;
  if (authentication === 'off') return true;
  if (ability === 'order runtimes') return scopes.includes('broker:write');
  return groupsOf[ability].some((group) => groups.includes(group));
}
