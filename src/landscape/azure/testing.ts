// For tests of the client: the simulated system alone.
export { azure } from './azure.ts';
