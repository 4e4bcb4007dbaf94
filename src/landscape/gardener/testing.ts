// For tests of the client: this system alone.
export { gardener, gardenerWith } from './gardener.ts';
