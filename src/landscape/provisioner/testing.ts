// For tests of the client: this system alone.
export { provisioner } from './provisioner.ts';
