// For tests of the client: the simulated system alone.
export { aws } from './aws.ts';
