// For tests of the clients: this system alone.
export { director } from './director.ts';
