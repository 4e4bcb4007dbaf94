import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Call } from './system-limits.ts';

const states = { closed: 0, 'half open': 1, open: 2 } as const;

/** To be handed to clients with their settings as `onCall`. `prefix`: of the service, `kcp_broker`. */
export function clientMetrics(registry: Registry, prefix: string): (call: Call) => void {
  const registers = [registry];
  const seconds = new Histogram({
    name: `${prefix}_system_call_duration_seconds`,
    help: 'How long calls to outside systems took, by what came of them',
    labelNames: ['system', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers,
  });
  const breaker = new Gauge({
    name: `${prefix}_system_breaker_state`,
    help: 'Whether a system is being left alone: 0 no, 1 being tried again, 2 yes',
    labelNames: ['system'],
    registers,
  });
  return ({ system, outcome, duration, breaker: state }) => {
    seconds.observe({ system, outcome }, duration / 1_000);
    breaker.set({ system }, states[state]);
  };
}
