// For tests of the client: the simulated system alone.
export { lms } from './lms.ts';
