/** What a runtime is called by those who run the landscape, and ask for it by. */
export const runtimeStates = [
  'succeeded',
  'failed',
  'error',
  'provisioning',
  'deprovisioning',
  'upgrading',
  'updating',
  'suspended',
  'deprovisioned',
  'deprovisionincomplete',
  'all',
] as const;
export type RuntimeState = (typeof runtimeStates)[number];

export type LastOperation = {
  readonly type: string;
  readonly state: string;
  readonly isSuspension: boolean;
};

/** By the last operation; a suspension that nothing has undone stays what people see. */
export function runtimeStateOf(
  last: LastOperation | undefined,
  suspension: LastOperation | undefined,
): RuntimeState {
  if (suspension)
    return suspension.state === 'in progress'
      ? 'deprovisioning'
      : suspension.state === 'failed'
        ? 'failed'
        : 'suspended';
  if (!last) return 'succeeded';
  const isLife = last.type === 'provision' || last.type === 'deprovision';
  switch (last.state) {
    case 'failed':
      return isLife ? 'failed' : 'error';
    case 'in progress':
      return inProgress[last.type] ?? 'succeeded';
    default:
      return 'succeeded';
  }
}

const inProgress: Readonly<Record<string, RuntimeState>> = {
  provision: 'provisioning',
  deprovision: 'deprovisioning',
  upgradeKyma: 'upgrading',
  upgradeCluster: 'upgrading',
  update: 'updating',
};

/** Operations that are about a runtime as customers know it. */
export const runtimeOperations = [
  'provision',
  'deprovision',
  'update',
  'upgradeKyma',
  'upgradeCluster',
] as const;

const isLast = `not exists (
  select from operations later where later.subject = o.subject and later.number > o.number
     and later.state not in ('pending', 'canceled') and later.type = any($1))`;

/** `i` is an instance whose last operation, but for those that are pending or canceled, is such a one. */
const lastIs = (condition: string) =>
  `i.id in (select o.subject from operations o where ${condition} and ${isLast})`;

const isLife = `o.type in ('provision', 'deprovision')`;
const failed = `o.state = 'failed' and o.fingerprint is not null`;
const removed = `o.type = 'deprovision' and o.state = 'succeeded'`;
const running = (...types: readonly string[]) =>
  lastIs(
    `o.state = 'in progress' and o.ended_at is null and o.type in (${types.map((type) => `'${type}'`).join(', ')})`,
  );

/**
 * The same as conditions on `i`, an instance; $1 are the types of its operations. Each begins with the operations that can
 * be meant, which an index finds: those are few, and instances are many.
 */
export const stateConditions: Readonly<Record<Exclude<RuntimeState, 'all'>, string>> = {
  failed: lastIs(`${failed} and ${isLife}`),
  error: lastIs(`${failed} and o.type = any($1) and not ${isLife}`),
  provisioning: running('provision'),
  deprovisioning: running('deprovision'),
  upgrading: running('upgradeKyma', 'upgradeCluster'),
  updating: running('update'),
  suspended: `(i.deleted_at is null and ${lastIs(removed)})`,
  deprovisioned: lastIs(removed),
  deprovisionincomplete: '(i.deleted_at is not null)',
  succeeded: `not ${lastIs(
    `(${failed} or ${removed} or o.state = 'in progress' and o.ended_at is null) and o.type = any($1)`,
  )}`,
};

/**
 * The same as text, to sort by: `stateText` of `i` joined with `lastOperations`, which are those that decide, and few.
 * Operations of each instance are looked at once, whatever they are.
 */
export const lastOperations = `left join (
  select o.subject,
         case when o.state = 'failed' then case when ${isLife} then 'failed' else 'error' end
              when o.state = 'succeeded' then 'suspended'
              ${Object.entries(inProgress)
                .map(([type, state]) => `when o.type = '${type}' then '${state}'`)
                .join(' ')} end as state
    from operations o
   where (${failed} or ${removed} or o.state = 'in progress' and o.ended_at is null) and o.type = any($1) and ${isLast}
  ) last on last.subject = i.id`;
export const stateText = `coalesce(
  case when last.state <> 'suspended' or i.deleted_at is null then last.state end,
  case when i.deleted_at is null then 'succeeded' else 'deprovisionincomplete' end)`;
