import { usage } from './problem.ts';
import type { Runtime } from './service/shapes.ts';

/** One selector of runtimes; its fields are AND-ed, several selectors OR-ed. */
export type Target = {
  target?: 'all';
  globalAccount?: string;
  subAccount?: string;
  region?: string;
  runtimeID?: string;
  planName?: string;
  shoot?: string;
  instanceID?: string;
};

const fields = {
  account: 'globalAccount',
  subaccount: 'subAccount',
  region: 'region',
  'runtime-id': 'runtimeID',
  plan: 'planName',
  shoot: 'shoot',
  'instance-id': 'instanceID',
} as const;

const expressions = ['account', 'subaccount', 'region'];
const plans = [
  'azure',
  'azure_lite',
  'azure_ha',
  'trial',
  'gcp',
  'openstack',
  'aws',
  'aws_ha',
  'free',
];

/** What stands behind `--target` or `--target-exclude`: each text is one selector. */
export function readTarget(text: string, flag: '--target' | '--target-exclude'): Target {
  const target: Target = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    const [name = '', ...rest] = part.split('=');
    const value = rest.join('=');
    if (name === 'all' && rest.length === 0 && flag === '--target') {
      target.target = 'all';
      continue;
    }
    if (!Object.hasOwn(fields, name)) throw usage(`invalid selector: ${flag} ${part}`);
    if (value === '') throw usage(`${flag} ${name} is missing required value (${name}={VALUE})`);
    if (!isAllowed(name, value))
      throw usage(`invalid value for selector: ${flag} ${name}=${value}`);
    target[fields[name as keyof typeof fields]] = value; // it is one of them
  }
  return target;
}

export function readTargets(
  include: readonly string[] = [],
  exclude: readonly string[] = [],
): { include: Target[]; exclude: Target[] } {
  if (include.length === 0)
    throw usage('at least one runtime target must be specified with --target');
  return {
    include: include.map((text) => readTarget(text, '--target')),
    exclude: exclude.map((text) => readTarget(text, '--target-exclude')),
  };
}

function isAllowed(name: string, value: string): boolean {
  if (name === 'plan') return plans.includes(value);
  if (!expressions.includes(name)) return true;
  try {
    return new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

/** The same choice that the broker makes for an orchestration. */
export function isMeant(
  runtime: Runtime,
  include: readonly Target[],
  exclude: readonly Target[],
): boolean {
  const fits = (target: Target) => doesFit(runtime, target);
  return include.some(fits) && !exclude.some(fits);
}

function doesFit(runtime: Runtime, target: Target): boolean {
  const { runtimeID, globalAccount, subAccount, region, planName, shoot, instanceID } = target;
  if (runtimeID !== undefined) return runtime.runtimeID === runtimeID;
  const found = (expression: string | undefined, text = '') =>
    expression === undefined || new RegExp(expression).test(text);
  const same = (wanted: string | undefined, text = '') => wanted === undefined || wanted === text;
  return (
    found(globalAccount, runtime.globalAccountID) &&
    found(subAccount, runtime.subAccountID) &&
    found(region, runtime.region) &&
    same(planName, runtime.servicePlanName) &&
    same(shoot, runtime.shootName) &&
    same(instanceID, runtime.instanceID)
  );
}
