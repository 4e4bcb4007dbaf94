import { z } from 'zod';

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** Empty parts say nothing: the shoot's own hold. */
const Window = z.object({
  days: z.array(z.enum(weekdays)).default([]),
  timeBegin: timeOfDay(),
  timeEnd: timeOfDay(),
});

const Rule = Window.extend({
  /** All of them must fit; without any, everything does. */
  match: z
    .strictObject({
      plan: pattern().optional(),
      globalAccountID: pattern().optional(),
      region: pattern().optional(),
    })
    .default({}),
});

/** When runtimes may be worked on: the first rule that fits, or else the default. */
export const MaintenancePolicy = z.object({
  rules: z.array(Rule).default([]),
  default: Window.prefault({}),
});
export type MaintenancePolicy = z.output<typeof MaintenancePolicy>;

/** Hours, minutes, seconds and zone: 210000+0000. */
function timeOfDay() {
  const form = /^(([01]\d|2[0-3])[0-5]\d[0-5]\d[+-]\d{4})?$/;
  return z.string().regex(form, 'must be a time like 210000+0000').default('');
}

function pattern() {
  return z.string().refine(isPattern, 'must be a regular expression');
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
