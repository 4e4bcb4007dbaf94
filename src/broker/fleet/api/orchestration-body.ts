import { z } from 'zod';
import { clusterVersion, kymaVersion, onlyThese } from '../../api/upgrade-runtime.ts';
import { optionalBoolean, optionalText } from '../../api/read-request.ts';
import { isDuration } from '../duration-text.ts';

const longestExpression = 200;
const expression = optionalText(longestExpression);
const quoted = ({ input }: { readonly input?: unknown }) => JSON.stringify(input);

const Selector = onlyThese({
  target: z
    .enum(['all', ''], { error: (issue) => `is ${quoted(issue)}: allowed is all` })
    .optional()
    .transform((target) => target || undefined),
  globalAccount: expression,
  subAccount: expression,
  region: expression,
  runtimeID: optionalText(),
  instanceID: optionalText(),
  planName: optionalText(),
  shoot: optionalText(),
});

const whole = (what: string, least: number, most: number) =>
  z
    .number({ error: (issue) => `is ${quoted(issue)}: expected ${what}` })
    .refine((number) => Number.isInteger(number) && number >= least && number <= most, {
      error: (issue) => `is ${quoted(issue)}: expected ${what}`,
    });
const percent = z
  .number({ error: (issue) => `is ${quoted(issue)}: expected a number from 0 to 100` })
  .min(0, 'is below 0')
  .max(100, 'is above 100');

const oneOf = (first: string, second: string) => `needs either ${first} or ${second}`;
const Wave = onlyThese({
  size: whole('a whole number from 1', 1, 1_000_000).optional(),
  percent: percent.gt(0, 'must be above 0').optional(),
})
  .refine(({ size, percent: share }) => (size === undefined) !== (share === undefined), {
    error: oneOf('size', 'percent'),
  })
  .transform(({ size, percent: share = 0 }) =>
    size === undefined ? { percent: share } : { size },
  );
const Budget = onlyThese({
  failures: whole('a whole number from 0', 0, 1_000_000).optional(),
  percent: percent.optional(),
})
  .refine(({ failures, percent: share }) => (failures === undefined) !== (share === undefined), {
    error: oneOf('failures', 'percent'),
  })
  .transform(({ failures, percent: share = 0 }) =>
    failures === undefined ? { percent: share } : { failures },
  );

const Schedule = z
  .string({ error: 'must be a text' })
  .refine(isSchedule, {
    error: (issue) =>
      issue.input === 'maintenanceWindow'
        ? 'is "maintenanceWindow", which is deprecated: set strategy.maintenanceWindow to true'
        : `is ${quoted(issue)}: allowed are immediate, now and a time like 2026-11-02T21:00:00Z`,
  })
  .default('immediate');

function isSchedule(text: string): boolean {
  return text === 'immediate' || text === 'now' || isTime(text);
}
const isTime = (text: string) => z.iso.datetime({ offset: true }).safeParse(text).success;

const Strategy = onlyThese({
  type: z
    .literal(['parallel', ''], { error: (issue) => `is ${quoted(issue)}: allowed is parallel` })
    .optional(),
  schedule: Schedule,
  // What a status shows may be sent again.
  ScheduleTime: z.unknown().optional(),
  maintenanceWindow: optionalBoolean,
  parallel: onlyThese({
    workers: whole('a whole number from 1 to 1000', 1, 1_000).default(1),
  }).prefault({}),
  waves: z
    .array(Wave, { error: 'must be a list' })
    .max(100, 'has more than 100 entries')
    .optional(),
  waveSoak: z
    .string({ error: 'must be a text' })
    .refine(isDuration, { error: (issue) => `is ${quoted(issue)}: expected a duration like 1h30m` })
    .optional(),
  errorBudget: Budget.optional(),
});

const selectors = z
  .array(Selector, { error: 'must be a list' })
  .max(1_000, 'has more than 1000 entries');

const common = {
  targets: onlyThese({
    include: selectors.refine((all) => all.length > 0, {
      error: 'while validating target: targets.include array must be not empty',
    }),
    exclude: selectors.nullish().transform((all) => all ?? []),
  }),
  strategy: Strategy.prefault({}),
  dryRun: optionalBoolean,
  notification: optionalBoolean,
};
const kyma = onlyThese({ version: kymaVersion }).optional();
const kubernetes = onlyThese({
  kubernetesVersion: clusterVersion,
  machineImage: optionalText(),
  machineImageVersion: clusterVersion,
})
  .refine(
    ({ machineImage, machineImageVersion: version }) =>
      version === undefined || machineImage !== undefined,
    { error: 'machineImageVersion is given: expected machineImage with it' },
  )
  .optional();

/** Of an orchestration of either kind: what is meant for the other one counts for nothing. */
export const OrchestrationBody = onlyThese({ ...common, kyma, kubernetes });
export type OrchestrationBody = z.output<typeof OrchestrationBody>;
