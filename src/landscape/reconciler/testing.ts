// For tests of the client: this system alone.
export { reconciler } from './reconciler.ts';
