import type { MaintenancePolicy, Shoot } from '#clients';
import { isTimeOfDay, weekdays, type WindowTimes } from './maintenance-window.ts';
import type { Target } from './orchestration.ts';

/**
 * When the runtime may be worked on: as its Shoot says; what the first rule that fits says otherwise counts, or, where
 * none fits, what the policy has for all others. Undefined if nobody says anything.
 */
export function windowTimesOf(
  { planName, globalAccount, region }: Pick<Target, 'planName' | 'globalAccount' | 'region'>,
  shoot: Shoot | undefined,
  policy: MaintenancePolicy | undefined,
): WindowTimes | undefined {
  const rule = policy?.rules.find(
    ({ match }) =>
      isMatch(match.plan, planName) &&
      isMatch(match.globalAccountID, globalAccount) &&
      isMatch(match.region, region),
  );
  const told = rule ?? policy?.default;
  const own = shoot?.spec.maintenance?.timeWindow;
  const opens = told?.timeBegin || own?.begin || '';
  const closes = told?.timeEnd || own?.end || '';
  if (!isTimeOfDay(opens) || !isTimeOfDay(closes)) return undefined;
  const days = told?.days ?? [];
  return { days: days.length > 0 ? days : weekdays, opens, closes };
}

const isMatch = (expression: string | undefined, text: string) =>
  !expression || new RegExp(expression).test(text);
