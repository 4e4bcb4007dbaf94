// A simulator of every outside system, over real HTTP, for tests, demos and load runs: their protocols and state machines,
// faults that can be switched on, a speed, and an inventory of what exists out there. Knows nothing of our services.

export { startLandscape, type Landscape } from './landscape.ts';
export { StateFileError } from './state-file.ts';
export { type Fault } from './faults.ts';
