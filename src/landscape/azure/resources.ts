import { randomBytes, randomUUID } from 'node:crypto';
import { minutes, type Milliseconds } from '#time';
import { CloudRefusal } from '../cloud-refusal.ts';
import { keeping } from '../kept-state.ts';
import type { Surroundings } from '../simulated-system.ts';
import type { SimulatedTime } from '../simulated-time.ts';

const delays = { namespaceCreation: minutes(3), groupDeletion: minutes(5) };

type Tags = Readonly<Record<string, string>>;
export type Wanted = { readonly location: string; readonly tags: Tags };
export type Operation = { readonly id: string; readonly doneAt: Milliseconds };
export type Namespace = {
  readonly name: string;
  readonly location: string;
  tags: Tags;
  readonly creation: Operation;
  /** Primary and secondary. */
  readonly keys: readonly [string, string];
  readonly askedBy: string;
};
export type Group = {
  readonly subscription: string;
  readonly name: string;
  readonly location: string;
  tags: Tags;
  deletion?: Operation;
  readonly namespaces: Map<string, Namespace>;
  readonly askedBy: string;
};

/** Groups and what is in them. Names are kept as they were first written, and found however they are written. */
export class AzureResources {
  readonly #time: SimulatedTime;
  readonly #caller: () => string;
  readonly #groups = new Map<string, Group>();
  readonly #operations = new Map<string, Operation>();
  readonly state = keeping({ groups: this.#groups, operations: this.#operations });

  constructor({ time, caller }: Surroundings) {
    this.#time = time;
    this.#caller = caller;
  }

  groups(): Group[] {
    return [...this.#groups.keys()].flatMap((key) => this.#find(key) ?? []);
  }

  group(subscription: string, name: string): Group {
    const found = this.#find(keyOf(subscription, name));
    if (found) return found;
    throw new CloudRefusal(404, 'ResourceGroupNotFound', `no resource group ${name}`);
  }

  putGroup(subscription: string, name: string, { location, tags }: Wanted): 'created' | 'updated' {
    const key = keyOf(subscription, name);
    const known = this.#find(key);
    if (!known) {
      const askedBy = this.#caller();
      const namespaces = new Map<string, Namespace>();
      this.#groups.set(key, { subscription, name, location, tags, namespaces, askedBy });
      return 'created';
    }
    refuseIfDeleting(known);
    if (known.location !== location)
      throw new CloudRefusal(409, 'InvalidResourceGroupLocation', 'the group is elsewhere');
    known.tags = tags;
    return 'updated';
  }

  deleteGroup(subscription: string, name: string): Operation {
    const group = this.group(subscription, name);
    group.deletion ??= this.#begin(delays.groupDeletion);
    return group.deletion;
  }

  namespace(subscription: string, groupName: string, name: string): Namespace {
    const found = this.group(subscription, groupName).namespaces.get(name.toLowerCase());
    if (found) return found;
    throw new CloudRefusal(404, 'ResourceNotFound', `no namespace ${name}`);
  }

  putNamespace(group: Group, name: string, { location, tags }: Wanted): 'created' | 'updated' {
    refuseIfDeleting(group);
    const known = group.namespaces.get(name.toLowerCase());
    if (known) {
      known.tags = tags;
      return 'updated';
    }
    const keys = [newKey(), newKey()] as const;
    const creation = this.#begin(delays.namespaceCreation);
    const askedBy = this.#caller();
    group.namespaces.set(name.toLowerCase(), { name, location, tags, creation, keys, askedBy });
    return 'created';
  }

  operation(id: string): Operation {
    const found = this.#operations.get(id);
    if (found) return found;
    throw new CloudRefusal(404, 'OperationNotFound', `no operation ${id}`);
  }

  stateOf({ creation }: Namespace): string {
    return this.isDone(creation) ? 'Succeeded' : 'Creating';
  }

  isDone({ doneAt }: Operation): boolean {
    return this.#time.now() >= doneAt;
  }

  /** A group whose deletion is over is gone, and so is all that was in it. */
  #find(key: string): Group | undefined {
    const group = this.#groups.get(key);
    if (!group?.deletion || !this.isDone(group.deletion)) return group;
    this.#groups.delete(key);
    return undefined;
  }

  #begin(duration: Milliseconds): Operation {
    const operation = { id: randomUUID(), doneAt: this.#time.now() + duration };
    this.#operations.set(operation.id, operation);
    return operation;
  }
}

function refuseIfDeleting({ name, deletion }: Group): void {
  if (deletion)
    throw new CloudRefusal(409, 'ResourceGroupBeingDeleted', `${name} is being deleted`);
}

const keyOf = (subscription: string, name: string) => `${subscription}/${name}`.toLowerCase();
const newKey = () => randomBytes(32).toString('base64');
