// For tests of the client: this system alone, to be started with startLandscape.
export { spc } from './spc.ts';
export { type MakeSystem } from '../simulated-system.ts';
