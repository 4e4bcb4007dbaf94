import type { Milliseconds } from '#time';
import { keeping } from './kept-state.ts';
import type { SimulatedTime } from './simulated-time.ts';

/**
 * What will happen by itself, at most one step for each key. Steps are data, not functions, so that they can be kept: what
 * was going on when the landscape ended goes on when it is started again.
 */
export class PendingSteps<Step> {
  readonly #time: SimulatedTime;
  readonly #act: (step: Step, key: string) => void;
  readonly #pending = new Map<string, { readonly at: Milliseconds; readonly step: Step }>();

  constructor(time: SimulatedTime, act: (step: Step, key: string) => void) {
    this.#time = time;
    this.#act = act;
  }

  /** Takes the place of what was to come for this key. */
  next(key: string, wait: Milliseconds, step: Step): void {
    this.#pending.set(key, { at: this.#time.now() + wait, step });
    this.#arm(key);
  }

  cancel(key: string): void {
    this.#pending.delete(key);
  }

  readonly state = {
    save: () => this.#kept.save(),
    restore: (saved: unknown) => {
      this.#kept.restore(saved);
      for (const key of this.#pending.keys()) this.#arm(key);
    },
  };
  readonly #kept = keeping({ pending: this.#pending });

  #arm(key: string): void {
    const due = this.#pending.get(key);
    if (!due) return;
    this.#time.after(due.at - this.#time.now(), () => {
      if (this.#pending.get(key) !== due) return; // something else was to come since then
      this.#pending.delete(key);
      this.#act(due.step, key);
    });
  }
}
