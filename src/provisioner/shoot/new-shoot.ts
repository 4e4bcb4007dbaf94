import type { GardenerConfig } from '../config/gardener-config.ts';
import { ownShoot, type OwnShoot, type ShootOwner, type ShootSettings } from './own-shoot.ts';

/** The Shoot that a config stands for. Its namespace is the project's, which the client knows. */
export const newShoot = (
  config: GardenerConfig,
  { settings, ...owner }: ShootOwner & { readonly settings: ShootSettings },
): OwnShoot => ownShoot(config, owner, settings);
