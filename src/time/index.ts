// Time, as everything else in this product sees it: durations with their unit in the name, and a clock that is handed
// in, so that a test can move it. Knows nothing of databases; SQL adds `clock.offset` to its own now().

export {
  days,
  hours,
  inWords,
  milliseconds,
  minutes,
  seconds,
  type Milliseconds,
} from './duration.ts';
export { MovableClock, systemClock, type Clock } from './clock.ts';
