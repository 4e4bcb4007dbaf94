import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import { followOperation } from '../follow-operation.ts';
import { Problem, usage } from '../problem.ts';
import type { Service } from '../service/service.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = {
  readonly file?: string;
  readonly plan?: string;
  readonly name?: string;
  readonly region?: string;
  readonly account?: string;
  readonly subaccount?: string;
  readonly userId?: string;
  readonly parameters?: string;
  readonly instanceId?: string;
  readonly platformRegion: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly output?: string;
};

export const provision = (surroundings: Surroundings): Command =>
  command('provision', 'Orders a runtime, from flags, from a file, or from both: flags count more.')
    .alias('p')
    .option(
      '-f, --file <path>',
      'order in YAML or JSON: plan or plan_id, context, parameters; - is standard input',
    )
    .option('-p, --plan <name>', 'plan')
    .option('-n, --name <name>', 'name of the runtime')
    .option('-R, --region <name>', 'region of the provider')
    .option('-g, --account <id>', 'global account')
    .option('-s, --subaccount <id>', 'subaccount')
    .option('--user-id <user>', 'for whom it is')
    .option('--parameters <json>', 'more parameters of the plan, as JSON')
    .option('-i, --instance-id <id>', 'by default a new UUID')
    .option('--platform-region <region>', 'where the platform runs', 'cf-eu20')
    .option('--dry-run', 'print the order, and do not send it')
    .option('-w, --wait', 'follow it until the runtime is there')
    .option('-o, --output <format>', 'json')
    .addHelpText(
      'after',
      examples(
        [
          'kcp provision -p azure -n orders-dev -R westeurope -g ga-1 -s sa-1 --user-id me@example.com --wait',
          'and wait for it',
        ],
        ['kcp provision -f order.yaml --dry-run', 'what would be sent?'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        const service = work.orders();
        const order = await orderFrom(flags, service, surroundings);
        const id = flags.instanceId ?? randomUUID();
        if (flags.dryRun) return work.screen.json({ instanceID: id, ...order });
        const path = `/oauth/${encodeURIComponent(flags.platformRegion)}/v2/service_instances/${encodeURIComponent(id)}`;
        const { operation } = await service.send<{ operation: string }>('PUT', path, order, {
          accepts_incomplete: true,
        });
        report(work, flags, { instanceID: id, operationID: operation });
        if (flags.wait) await followOperation(work, operation);
      }),
    );

function report(
  { screen }: Work,
  { output }: Flags,
  started: { instanceID: string; operationID: string },
): void {
  if (output === 'json') screen.json(started);
  else screen.print(`InstanceID: ${started.instanceID}`, `OperationID: ${started.operationID}`);
}

type Order = {
  readonly service_id: string;
  readonly plan_id: string;
  readonly context: object;
  readonly parameters: object;
};

async function orderFrom(
  flags: Flags,
  service: Service,
  surroundings: Surroundings,
): Promise<Order> {
  const file = flags.file === undefined ? {} : await readOrder(flags.file, surroundings);
  const { plan: planOfFile, context = {}, parameters = {}, ...rest } = file;
  const wanted = flags.plan ?? planOfFile ?? rest['plan_id'];
  if (typeof wanted !== 'string') throw usage('which plan? Give --plan, or plan in the file');
  const order = {
    ...rest,
    ...(await planIds(service, wanted)),
    context: {
      ...objectIn('context', context),
      ...given({
        globalaccount_id: flags.account,
        subaccount_id: flags.subaccount,
        user_id: flags.userId,
      }),
    },
    parameters: {
      ...objectIn('parameters', parameters),
      ...objectIn('--parameters', jsonOf(flags.parameters)),
      ...given({ name: flags.name, region: flags.region }),
    },
  };
  if (!('name' in order.parameters))
    throw usage('which name? Give --name, or parameters.name in the file');
  return order;
}

async function planIds(
  service: Service,
  wanted: string,
): Promise<{ service_id: string; plan_id: string }> {
  const { services } = await service.get<Catalog>('/oauth/v2/catalog');
  const all = services.flatMap(({ id, plans }) => plans.map((plan) => ({ ...plan, service: id })));
  const found = all.find(({ name, id }) => name === wanted || id === wanted);
  if (!found)
    throw new Problem(
      'notFound',
      `there is no plan ${wanted}; there are: ${all.map(({ name }) => name).join(', ')}`,
    );
  return { service_id: found.service, plan_id: found.id };
}

type Catalog = {
  readonly services: readonly {
    readonly id: string;
    readonly plans: readonly { readonly id: string; readonly name: string }[];
  }[];
};

async function readOrder(path: string, { input }: Surroundings): Promise<Record<string, unknown>> {
  let text = '';
  try {
    if (path === '-') for await (const piece of input) text += String(piece);
    else text = await readFile(path, 'utf8');
  } catch (error) {
    throw usage(`--file ${path} cannot be read (${String((error as NodeJS.ErrnoException).code)})`);
  }
  const { parse } = await import('yaml'); // JSON is YAML, too
  try {
    return objectIn(`--file ${path}`, parse(text));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw usage(`--file ${path} is neither YAML nor JSON`);
  }
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    throw usage('--parameters is no JSON: write \'{"autoScalerMax": 10}\'');
  }
}

function objectIn(name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`${name} must be an object`);
  return value as Record<string, unknown>;
}

const given = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
