import { operation, when } from '#engine';
import { days } from '#time';
import type { Services } from '../services.ts';
import { isOn } from '../steps/conditions.ts';
import { cancelAnnouncement, closeOrchestration } from './steps/close.ts';
import {
  announceMaintenance,
  awaitSchedule,
  planTheUpgrades,
  type OrchestrationInput,
} from './steps/plan.ts';
import { upgradeRuntimes } from './steps/upgrade-runtimes.ts';

/**
 * Carries an orchestration: any replica can, and it knows nothing that is not stored. Windows may be a week away and a
 * pause may last, so it has as good as no limit; the upgrades have their own.
 */
export const orchestrate = (services: Services) => {
  const spc = isOn(services.clients, 'spc');
  return operation<OrchestrationInput>('orchestration', {
    timeLimit: days(365),
    input: ['orchestrationId'],
  })
    .stage(
      'schedule',
      planTheUpgrades(services),
      when(spc, announceMaintenance(services)),
      awaitSchedule(services),
    )
    .stage('upgrade', upgradeRuntimes(services))
    .stage('close', when(spc, cancelAnnouncement(services)), closeOrchestration(services));
};
