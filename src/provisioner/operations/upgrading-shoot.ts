import { operation } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitShootSeen } from '../steps/await-shoot-seen.ts';
import { awaitShootUpgrade } from '../steps/await-shoot-upgrade.ts';
import { bindOperators } from '../steps/bind-operators.ts';
import { configureAuditLog } from '../steps/configure-audit-log.ts';
import { upgradeShoot, type ShootUpgrade } from '../steps/upgrade-shoot.ts';

export const upgradingShoot = (services: Services) =>
  operation<ShootUpgrade>('upgrade_shoot', {
    timeLimit: hours(24),
    input: ['config', 'administrators'],
  })
    .stage('UpgradingShoot', upgradeShoot(services))
    .stage('WaitingForShootNewVersion', awaitShootSeen(services))
    .stage('WaitingForShootUpgrade', awaitShootUpgrade(services))
    .stage('CreatingBindingsForOperators', configureAuditLog(services), bindOperators(services));
