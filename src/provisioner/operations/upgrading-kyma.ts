import { operation } from '#engine';
import { hours } from '#time';
import type { Services } from '../services.ts';
import { awaitInstallation } from '../steps/await-installation.ts';
import { changeKyma, type KymaUpgrade } from '../steps/change-kyma.ts';
import { startInstallation } from '../steps/start-installation.ts';

export const upgradingKyma = (services: Services) =>
  operation<KymaUpgrade>('upgrade', { timeLimit: hours(24), input: ['kyma'] })
    .stage('StartingUpgrade', changeKyma(services), startInstallation(services))
    .stage('WaitingForInstallation', awaitInstallation(services));
