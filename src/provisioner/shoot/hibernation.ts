import { z } from 'zod';
import type { Shoot } from '#clients';
import { InvalidInput } from '../config/invalid-input.ts';
import type { OwnShoot } from './own-shoot.ts';

export const hibernatedShoot = ({ metadata, spec }: OwnShoot): OwnShoot => ({
  metadata,
  spec: { ...spec, hibernation: { ...spec.hibernation, enabled: true } },
});

const Constraints = z
  .array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().optional() }))
  .catch([]);

const possibilityOf = ({ status }: Shoot) =>
  Constraints.parse(status?.['constraints']).find(({ type }) => type === 'HibernationPossible');

/** As the schema's type of this name. */
export type HibernationStatus = {
  readonly hibernated: boolean;
  readonly hibernationPossible: boolean;
};

export const hibernationStatus = (shoot: Shoot): HibernationStatus => ({
  hibernated: shoot.status?.hibernated ?? false,
  hibernationPossible: possibilityOf(shoot)?.status === 'True',
});

/** Refuses only what Gardener says is impossible: it may not have looked yet. */
export function checkHibernation(shoot: Shoot): void {
  const possibility = possibilityOf(shoot);
  if (possibility?.status !== 'False') return;
  const { message = 'Gardener gives no reason' } = possibility;
  throw new InvalidInput('id', `cannot hibernate cluster: ${message}`);
}
