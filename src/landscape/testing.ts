// For tests of clients, steps and services: the landscape in this process. Not exported by the door of the module.
export { startLandscape, type Landscape } from './landscape.ts';
