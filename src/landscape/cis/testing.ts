// For tests of the client: this system alone, to be started with startLandscape.
export { cis } from './cis.ts';
