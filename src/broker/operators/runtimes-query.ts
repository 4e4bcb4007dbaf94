import { z } from 'zod';
import { paging, values } from '../api/read-query.ts';
import { runtimeStates, type RuntimeState } from './runtime-state.ts';

export const runtimeOrders = [
  'createdAt',
  'modifiedAt',
  'region',
  'plan',
  'account',
  'shoot',
  'state',
] as const;
export type RuntimeOrder = (typeof runtimeOrders)[number];
export const attentions = ['retrying', 'stuck', 'residue'] as const;

/** `-createdAt`: the other way round. */
export const sortedBy = <const Names extends readonly string[]>(
  names: Names,
  initial: Names[number],
  descending = false,
) =>
  z
    .enum([...names, ...names.map((name) => `-${name}`)], {
      error: `expected one of ${names.join(', ')}, with a - in front for the other way round`,
    })
    .optional()
    .transform((given) => ({
      order: (given?.replace(/^-/, '') ?? initial) as Names[number],
      descending: given === undefined ? descending : given.startsWith('-'),
    }));

const flag = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .optional()
  .transform((given) => given === 'true');

/** Each of them one of these; what is not is named. */
export const valuesOf = <const Names extends readonly string[]>(names: Names) =>
  values.refine((given) => given.every((each) => names.includes(each)), {
    error: `expected ${names.join(', ')}`,
  }) as unknown as z.ZodType<Names[number][]>; // it was checked just now

export const moment = z
  .string()
  .optional()
  .transform((given, context) => {
    if (given === undefined) return undefined;
    const at = new Date(given);
    const isDate = /^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(at.getTime());
    if (isDate) return at;
    context.addIssue({ code: 'custom', message: 'expected a time like 2026-01-31T12:00:00Z' });
    return z.NEVER;
  });

export const RuntimesQuery = z.object({
  account: values,
  subaccount: values,
  instance_id: values,
  runtime_id: values,
  region: values,
  shoot: values,
  plan: values,
  // Those that are not known are passed over, as they always were.
  state: values.transform((given) =>
    given.filter((each): each is RuntimeState => runtimeStates.some((known) => known === each)),
  ),
  expired: flag,
  op_detail: z
    .enum(['all', 'last'], { error: 'expected all or last' })
    .optional()
    .transform((given) => given ?? 'all'),
  kyma_config: flag,
  cluster_config: flag,
  search: z.string().max(255, 'is longer than 255').optional(),
  attention: valuesOf(attentions),
  sort: sortedBy(runtimeOrders, 'createdAt'),
  cursor: z.string().max(1_000, 'is longer than 1000').optional(),
  ...paging,
});
export type RuntimesQuery = z.output<typeof RuntimesQuery>;
