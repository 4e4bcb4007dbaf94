// For tests of the client: this system alone, to be started with startLandscape.
export { serviceManager } from './service-manager.ts';
export { type MakeSystem } from '../simulated-system.ts';
