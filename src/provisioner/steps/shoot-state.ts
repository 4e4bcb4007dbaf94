import type { Shoot } from '#clients';

/** How the present operation of Gardener on a Shoot stands, as far as it matters to us. */
export type ShootState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'busy'; readonly because: string }
  | { readonly kind: 'failed'; readonly error: ShootFailed };

/** Gardener has given up, and so do we. */
export class ShootFailed extends Error {
  override readonly name = 'ShootFailed';
  readonly system = 'gardener';
  /** Gardener's codes, or that there are none. */
  readonly reason: string;

  constructor(what: string, shoot: Shoot) {
    const { state = 'unknown', description = '' } = shoot.status?.lastOperation ?? {};
    const why = (shoot.status?.lastErrors ?? []).map((each) => each.description);
    const told = [...new Set([description, ...why])].filter(Boolean).join('; ');
    super(`${what}. Last Shoot state: ${state}, Shoot description: ${told}`);
    this.reason = codesOf(shoot).join(', ') || shootFailed;
  }
}

export const shootFailed = 'shoot_failed';

/** Somebody else has removed the cluster in the midst of an operation on it. */
export class ShootGone extends Error {
  override readonly name = 'ShootGone';
  readonly temporary = false;
  readonly system = 'gardener';
  readonly reason = 'NotFound';

  constructor(shoot: string) {
    super(`the shoot ${shoot} is gone`);
  }
}

const rateLimit = 'ERR_INFRA_RATE_LIMITS_EXCEEDED';

/** Of a cluster that is created: a failed reconciliation before the first success is part of that. */
export const shootState = (shoot: Shoot, whatFailed: string): ShootState =>
  stateOf(shoot, whatFailed, ({ type }) => type !== 'Reconcile');

/** Of a cluster that is changed: every failure counts. */
export const upgradeState = (shoot: Shoot, whatFailed: string): ShootState =>
  stateOf(shoot, whatFailed, () => true);

/** What Gardener tries again by itself is waited for; states that we do not know are, too. */
function stateOf(
  shoot: Shoot,
  whatFailed: string,
  isFinal: (lastOperation: { readonly type: string }) => boolean,
): ShootState {
  const { lastOperation, observedGeneration } = shoot.status ?? {};
  const { generation } = shoot.metadata;
  if (!lastOperation) return busy('Gardener has not begun yet');
  const { type, state, progress, description = '' } = lastOperation;
  if (generation !== undefined && observedGeneration !== generation)
    return busy('Gardener has not seen the change yet');
  if (state === 'Succeeded') return { kind: 'ready' };
  if (state === 'Failed' && isFinal(lastOperation) && !codesOf(shoot).includes(rateLimit))
    return { kind: 'failed', error: new ShootFailed(whatFailed, shoot) };
  const done = progress === undefined ? '' : `, ${progress} %`;
  const [why] = shoot.status?.lastErrors ?? [];
  return busy(`${type} ${state}${done}: ${why?.description ?? description}`);
}

const busy = (because: string): ShootState => ({ kind: 'busy', because });

const codesOf = ({ status }: Shoot): string[] => [
  ...new Set((status?.lastErrors ?? []).flatMap(({ codes = [] }) => codes)),
];
