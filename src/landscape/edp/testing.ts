// For tests of the client: this system alone, to start a landscape with.
export { edp } from './edp.ts';
