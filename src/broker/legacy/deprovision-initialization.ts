import type { Services } from '../services.ts';
import { initStep } from '../steps/init-step.ts';

/** The first step of a removal under its older name: all that is to be removed stands in the instance's row by itself. */
export const deprovisionInitialization = (services: Services) => ({
  ...initStep(services),
  name: 'Deprovision_Initialization',
});
