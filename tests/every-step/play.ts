import type { Database } from '#database';
import type { Engine, OperationDefinition, StepRunRow, StoredOperation } from '#engine';
import type { Landscape } from '#landscape';
import { minutes, seconds, systemClock, type Milliseconds } from '#time';
import { eventually } from '../../src/database/testing.ts';
import { comparable, type Differences } from './comparable.ts';
import { disturbed, type Disturbance, type Mode } from './disturbance.ts';

/** A service with its surroundings. */
export type World = AsyncDisposable & {
  readonly database: Database;
  readonly engine: Engine;
  readonly landscape: Landscape;
  readonly advance: (by: Milliseconds) => void;
  /** Lets time pass for the operation until it has ended. */
  readonly pass: (id: string) => Promise<StoredOperation>;
};

export type Operations = readonly { readonly definition: OperationDefinition }[];

/** One way in which an operation is carried out, from an untouched landscape and back to it. */
export type Scenario<ItsWorld extends World = World> = Differences & {
  readonly name: string;
  /** The type of the operation that is disturbed. */
  readonly operation: string;
  /** The engine of the world runs what `disturb` makes of the service's operations. */
  readonly open: (disturb: (operations: Operations) => Operations) => Promise<ItsWorld>;
  /** What must be there before. */
  readonly prepare?: (world: ItsWorld) => Promise<void>;
  /** Asks for the operation, again if that fails, as callers do; returns its id. */
  readonly begin: (world: ItsWorld) => Promise<string>;
  /** Types of operations that wait for something that does not happen here, and end with the removal of everything. */
  readonly waiting?: readonly string[];
  /** Comes back when outside systems have done by themselves what follows from it. */
  readonly settle?: (world: ItsWorld) => Promise<void>;
  /** What there is besides the landscape's inventory: rows, and details of what exists out there. */
  readonly look: (world: ItsWorld) => Promise<unknown>;
  /** Removes everything by the service's own means. */
  readonly remove: (world: ItsWorld) => Promise<void>;
  /** Where an outside system leaves no way to be safe. */
  readonly exemptions?: readonly Exemption[];
};

/** What cannot be done twice without a trace: why, and what may be left of it at most. */
export type Exemption = {
  readonly because: string;
  /** So many exempt cases befell the one run, and none the other. */
  readonly check: (played: Played, expected: Played, cases: number) => void;
} & (
  | { /** As broken calls are named: `call 1 of avs POST /…`. */ readonly lostAnswersOf: RegExp }
  | { readonly steps: readonly string[]; readonly mode: Mode }
);

export type Fault = Parameters<Landscape['faults']['add']>[0];

/** What goes wrong on the way. Without any, it is the run that the others are compared with. */
export type Trouble = {
  readonly disturbance?: Disturbance;
  readonly faults?: readonly Fault[];
};

export type Played = {
  readonly definitions: readonly OperationDefinition[];
  readonly ended: StoredOperation;
  readonly timeline: readonly StepRunRow[];
  /** From the request for the operation to its end. */
  readonly requests: Landscape['requests'];
  /** Those whose call was not made. */
  readonly unused: readonly Fault[];
  readonly end: unknown;
  /** The inventory before everything, and after everything was removed. */
  readonly untouched: unknown;
  readonly left: unknown;
};

// Outside systems are quick here: whoever looks at them again and again does so a few times only.
const hurry = 9;

export async function play<ItsWorld extends World>(
  scenario: Scenario<ItsWorld>,
  { disturbance, faults = [] }: Trouble = {},
): Promise<Played> {
  const atWork = { steps: 0 };
  const disturb = ({ definition }: Operations[number]) => ({
    definition: counted(
      disturbance ? disturbed(definition, disturbance, (id) => takeAway(world, id)) : definition,
      atWork,
    ),
  });
  await using world = await scenario.open((operations) => operations.map(disturb));
  const { engine, landscape } = world;
  engine.listen((event) => {
    if (event.kind === 'waiting' && event.for < minutes(1))
      landscape.time.advance(event.for * hurry);
  });
  const untouched = comparable(landscape.inventory(), scenario);
  await scenario.prepare?.(world);

  const requestsBefore = landscape.requests.length;
  const added = faults.map((fault) => ({ fault, id: landscape.faults.add(fault) }));
  const id = await inTime(world, scenario.begin(world));
  const ended = await inTime(world, world.pass(id));
  const requests = landscape.requests.slice(requestsBefore);
  const left = new Map(landscape.faults.list().map((each) => [each.id, each.left]));
  const unused = added.filter((each) => left.get(each.id) !== 0).map(({ fault }) => fault);
  landscape.faults.remove();

  await comeToRest(world, atWork, scenario.waiting);
  if (ended.state === 'succeeded') await scenario.settle?.(world);
  const { type, state, error, facts, finished_stages, not_completed } = ended;
  const end = comparable(
    {
      operation: { type, state, error, facts, finished_stages, not_completed },
      inventory: landscape.inventory(),
      details: await scenario.look(world),
    },
    scenario,
  );
  await inTime(world, scenario.remove(world));
  await comeToRest(world, atWork);
  return {
    definitions: engine.definitions.types.map((each) => engine.definitions.get(each)),
    ended,
    timeline: await engine.timeline(id),
    requests,
    unused,
    end,
    untouched,
    left: comparable(landscape.inventory(), scenario),
  };
}

/** As the other replicas do with what a dead one held: from now on it can store nothing, and somebody else goes on. */
async function takeAway({ database, engine }: World, operationId: string): Promise<void> {
  await database.pool.query(
    `update operations set claimed_by = null, epoch = epoch + 1, due_at = now() + interval '10 years' where id = $1`,
    [operationId],
  );
  await engine.wake(operationId);
}

/** Steps that the engine has left behind, because they may not be stopped, are still at work. */
const counted = (
  definition: OperationDefinition,
  atWork: { steps: number },
): OperationDefinition => ({
  ...definition,
  stages: definition.stages.map((stage) => ({
    ...stage,
    steps: stage.steps.map((step) => ({
      ...step,
      async run(context) {
        atWork.steps += 1;
        try {
          return await step.run(context);
        } finally {
          atWork.steps -= 1;
        }
      },
    })),
  })),
});

/** Until everything that was put off has been done, here and out there. */
async function comeToRest(
  world: World,
  atWork: { readonly steps: number },
  waiting: readonly string[] = [],
): Promise<void> {
  const { engine, advance } = world;
  let isLater = false;
  await eventually(async () => {
    if (engine.running > 0 || atWork.steps > 0) return false; // one that was taken away may still be at work
    const open = (await openOperations(world)).filter(({ type }) => !waiting.includes(type));
    // Time that passes while a step runs would be taken from that step's.
    if (open.some((each) => ['running', 'due'].includes(engine.explain(each).activity)))
      return false;
    if (open.length === 0 && isLater) return true;
    advance(open.length > 0 ? minutes(10) : minutes(30));
    isLater = true;
    return false;
  });
}

async function openOperations({ database, engine }: World): Promise<StoredOperation[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from operations where ended_at is null',
  );
  const open = await Promise.all(rows.map(({ id }) => engine.get(id)));
  return open.filter((each) => each !== undefined).filter(({ ended_at }) => ended_at === null);
}

// Real time, many times what it takes: for what would never come to an end.
const patience = seconds(60);

async function inTime<Result>(world: World, work: Promise<Result>): Promise<Result> {
  const tooLate = Promise.withResolvers<never>();
  const complain = async () => {
    const why = (await openOperations(world)).map((each) => world.engine.explain(each));
    throw new Error(`not over after ${patience} ms: ${JSON.stringify(why)}`);
  };
  const callOff = systemClock.after(patience, () => void complain().catch(tooLate.reject));
  try {
    return await Promise.race([work, tooLate.promise]);
  } finally {
    callOff();
  }
}
