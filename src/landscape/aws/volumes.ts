import { minutes, type Milliseconds } from '#time';
import { CloudRefusal } from '../cloud-refusal.ts';
import { keeping } from '../kept-state.ts';
import type { Surroundings } from '../simulated-system.ts';
import type { SimulatedTime } from '../simulated-time.ts';

const deletionTakes = minutes(2);

export const volumeStates = ['creating', 'available', 'in-use', 'error'] as const;
export type Volume = {
  readonly account: string;
  readonly region: string;
  readonly id: string;
  readonly state: (typeof volumeStates)[number];
  readonly askedBy: string;
  /** Of one that is being deleted. */
  goneAt?: Milliseconds;
};

/** Each account has its own in each region. */
export class AwsVolumes {
  readonly #time: SimulatedTime;
  readonly #caller: () => string;
  readonly #volumes = new Map<string, Volume>();
  readonly state = keeping({ volumes: this.#volumes });

  constructor({ time, caller }: Surroundings) {
    this.#time = time;
    this.#caller = caller;
  }

  all(): Volume[] {
    return [...this.#volumes.keys()].flatMap((key) => this.#find(key) ?? []);
  }

  of(account: string, region: string): Volume[] {
    return this.all().filter((each) => each.account === account && each.region === region);
  }

  put(volume: Omit<Volume, 'askedBy' | 'goneAt'>): void {
    this.#volumes.set(keyOf(volume), { ...volume, askedBy: this.#caller() });
  }

  delete(account: string, region: string, id: string): void {
    const volume = this.#find(keyOf({ account, region, id }));
    if (!volume)
      throw new CloudRefusal(400, 'InvalidVolume.NotFound', `The volume '${id}' does not exist.`);
    const state = stateOf(volume);
    if (state === 'in-use') throw new CloudRefusal(400, 'VolumeInUse', `${id} is attached`);
    if (state === 'creating' || state === 'deleting')
      throw new CloudRefusal(400, 'IncorrectState', `${id} is ${state}`);
    volume.goneAt = this.#time.now() + deletionTakes;
  }

  #find(key: string): Volume | undefined {
    const volume = this.#volumes.get(key);
    if (volume?.goneAt === undefined || this.#time.now() < volume.goneAt) return volume;
    this.#volumes.delete(key);
    return undefined;
  }
}

export const stateOf = ({ state, goneAt }: Volume): string =>
  goneAt === undefined ? state : 'deleting';

const keyOf = ({ account, region, id }: Pick<Volume, 'account' | 'region' | 'id'>) =>
  JSON.stringify([account, region, id]);
