import { operation } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitHibernation, hibernateShoot } from '../steps/hibernate-shoot.ts';

export const hibernation = (services: Services) =>
  operation('hibernate', { timeLimit: hours(24) })
    .stage('HibernatingShoot', hibernateShoot(services))
    .stage('WaitForHibernation', awaitHibernation(services));
