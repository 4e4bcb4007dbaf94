// For tests of Shoots: who they belong to, and how Gardener would show them.
import type { Shoot } from '#clients';
import type { GardenerConfig } from '../config/gardener-config.ts';
import { newShoot } from './new-shoot.ts';
import type { ShootSettings } from './own-shoot.ts';

export const owner = {
  runtimeId: '11111111-0000-4000-8000-000000000000',
  operationId: '22222222-0000-4000-8000-000000000000',
  tenant: 'ga-1',
  subaccount: 'sa-1',
};
export const withSettings = (settings: ShootSettings = {}) => ({ ...owner, settings });

/** As it would be read after it was applied, with what others have added. */
export function onGardener(config: GardenerConfig, changes: object = {}): Shoot {
  const { metadata, spec } = newShoot(config, withSettings());
  const { labels, annotations, name } = metadata;
  return {
    metadata: {
      name,
      resourceVersion: '7',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: { ...spec, ...changes },
  };
}
