// For tests of the client: this system alone.
export { gardener, gardenerWith, projectKubeconfig } from './gardener.ts';
