import { z } from 'zod';
import type { GardenerConfig } from '../config/gardener-config.ts';
import { parseFile } from './parse-file.ts';

const time = z
  .string()
  .regex(/^$|^([01]\d|2[0-3])[0-5]\d[0-5]\d[+-]\d{4}$/, 'expected HHMMSS+ZZZZ, such as 170000+0000')
  .optional();

/** When production clusters may be worked on, by region. */
const MaintenanceWindows = z.record(
  z.string(),
  z
    .object({ begin: time, end: time })
    .refine(
      ({ begin, end }) => !begin || !end || isLengthAllowed(begin, end),
      'a window takes from 30 minutes to 6 hours',
    ),
);
export type MaintenanceWindows = z.infer<typeof MaintenanceWindows>;

export const parseMaintenanceWindows = (text: string): MaintenanceWindows =>
  parseFile('the maintenance windows', text, MaintenanceWindows);

type Choice =
  | { readonly kind: 'window'; readonly begin: string; readonly end: string }
  /** Gardener picks one by chance. With a warning, somebody forgot something. */
  | { readonly kind: 'none'; readonly warning?: string };

export function maintenanceWindow(
  { purpose, region }: Pick<GardenerConfig, 'purpose' | 'region'>,
  windows: MaintenanceWindows | undefined,
): Choice {
  if (!windows || purpose !== 'production') return { kind: 'none' };
  const { begin, end } = (Object.hasOwn(windows, region) && windows[region]) || {};
  return begin && end
    ? { kind: 'window', begin, end }
    : { kind: 'none', warning: `there is no maintenance window for region ${region}` };
}

const minutesPerDay = 24 * 60;

function isLengthAllowed(begin: string, end: string): boolean {
  const length = (minutesOf(end) - minutesOf(begin) + 2 * minutesPerDay) % minutesPerDay;
  return length >= 30 && length <= 6 * 60;
}

/** Since midnight in Greenwich. */
function minutesOf(text: string): number {
  const [hours, minutes, zoneHours, zoneMinutes] = [0, 2, 7, 9].map((at) =>
    Number(text.slice(at, at + 2)),
  );
  const offset = (zoneHours ?? 0) * 60 + (zoneMinutes ?? 0);
  return (hours ?? 0) * 60 + (minutes ?? 0) - (text.at(6) === '-' ? -offset : offset);
}
