// For tests of the clients: this system alone.
export { artifacts } from './artifacts.ts';
