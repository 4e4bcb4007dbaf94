import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { Secret } from '#database';
import { parameterNames, type ParameterName } from './catalog-schema.ts';
import { samples, samplesElsewhere } from './parameter-samples.ts';
import { parseProvisioningParameters, parseUpdateParameters } from './parse-parameters.ts';
import type { PlanSettings } from './plan-settings.ts';
import {
  base64,
  catalog,
  kubeconfigText,
  planNamed,
  platform,
  platformIn,
  smallestOrder,
  token,
} from './testing.ts';

const twinOf: Readonly<Record<string, string>> = {
  'build-runtime-azure': 'azure',
  'build-runtime-gcp': 'gcp',
};
const samplesOf = (plan: string, parameter: ParameterName) =>
  samplesElsewhere[twinOf[plan] ?? plan]?.[parameter] ?? samples[parameter];

const order = (plan: string, parameters: unknown, settings: Partial<PlanSettings> = {}) =>
  parseProvisioningParameters(planNamed(plan, settings), parameters, platform);
const update = (plan: string, parameters: unknown, current = {}) =>
  parseUpdateParameters(planNamed(plan), parameters, platform, current);

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'InvalidParameters', inspect(error));
    return error.message;
  }
  return assert.fail('nothing was refused');
};

for (const [plan, { parameters }] of Object.entries(catalog.plans)) {
  const lists = (request: 'create' | 'update'): readonly ParameterName[] => {
    const { shown, additional, hidden } = parameters[request];
    return [...shown, ...additional, ...hidden];
  };

  test(`${plan} takes the smallest order, and none without what it requires`, () => {
    assert.equal(order(plan, smallestOrder(plan)).name, 'mine');
    for (const parameter of parameters.create.required) {
      const { [parameter]: _, ...rest } = smallestOrder(plan);
      const message = refusal(() => order(plan, rest));
      assert.equal(message, `while validating input parameters: (root): ${parameter} is required`);
    }
  });

  test(`${plan} takes its parameters with an order if they have the right form`, () => {
    for (const parameter of lists('create')) {
      const { good, bad } = samplesOf(plan, parameter);
      const withValue = (value: unknown) => ({ ...smallestOrder(plan), [parameter]: value });
      for (const value of good) order(plan, withValue(value));
      for (const value of bad) {
        const message = refusal(() => order(plan, withValue(value)));
        assert.match(message, new RegExp(`\\b${parameter}\\b`), inspect(value));
      }
    }
  });

  test(`${plan} takes its parameters with an update if they have the right form`, () => {
    for (const parameter of lists('update')) {
      const { good, bad } = samplesOf(plan, parameter);
      for (const value of good) update(plan, { [parameter]: value });
      for (const value of bad) {
        const message = refusal(() => update(plan, { [parameter]: value }));
        assert.match(message, new RegExp(`^while validating update parameters: .*${parameter}`));
      }
    }
  });

  test(`${plan} takes no other parameters`, () => {
    for (const parameter of parameterNames) {
      const [value] = samplesOf(plan, parameter).good;
      const refused = new RegExp(`Additional property ${parameter} is not allowed \\(allowed: `);
      if (!lists('create').includes(parameter)) {
        const run = () => order(plan, { ...smallestOrder(plan), [parameter]: value });
        assert.match(refusal(run), refused);
      }
      if (!lists('update').includes(parameter)) {
        const message = refusal(() => update(plan, { [parameter]: value }));
        assert.match(message, parameter === 'expired' ? /^expiration of a non-trial/ : refused);
      }
    }
  });
}

const shapes: readonly (readonly [parameters: unknown, message: string])[] = [
  [{ name: 'a b' }, `name: Does not match pattern '^[a-zA-Z0-9-]*$' (got "a b")`],
  [{ name: '' }, 'name: String length must be greater than or equal to 1 (got "")'],
  [{ name: 7 }, 'name: Invalid type. Expected: string, given: integer (got 7)'],
  [{ name: 'a', autoScalerMin: 2 }, 'autoScalerMin: Must be greater than or equal to 3 (got 2)'],
  [{ name: 'a', autoScalerMax: 81 }, 'autoScalerMax: Must be less than or equal to 80 (got 81)'],
  [
    { name: 'a', region: 'x' },
    'region: region must be one of the following: "europe-west3", "asia-south1", "us-central1" (got "x")',
  ],
  [
    { autoScalerMin: '3' },
    '(root): name is required, autoScalerMin: Invalid type. Expected: integer, given: string (got "3")',
  ],
  [{ name: 'a', networking: {} }, 'networking: nodes is required'],
  [
    { name: 'a', modules: { list: [{ name: 'x', channel: 'slow' }] } },
    'modules.list.0.channel: modules.list.0.channel must be one of the following: "regular", "fast" (got "slow")',
  ],
];
for (const [parameters, message] of shapes) {
  test(`the refusal of ${JSON.stringify(parameters)} says what is wrong with which value`, () => {
    assert.equal(
      refusal(() => order('gcp', parameters)),
      `while validating input parameters: ${message}`,
    );
  });
}

test('parameters that are no object are refused', () => {
  for (const input of [undefined, null, [], 'name', 7]) {
    assert.match(
      refusal(() => order('aws', input)),
      /^while extracting input parameters: while unmarshaling raw parameters: expected an object/,
    );
  }
  assert.deepEqual(update('aws', undefined), {});
});

test('parameters beyond 64 kB are refused, and a thousand mistakes are not all told', () => {
  assert.match(
    refusal(() => order('aws', { name: 'a'.repeat(65_536) })),
    /too large .*65536 bytes/,
  );
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]));
  const message = refusal(() => order('aws', { name: 'a', ...many }));
  assert.match(message, /Additional property x9 is not allowed.*, and 990 more$/);
});

test('names that every object has are no parameters', () => {
  const input: unknown = JSON.parse('{"name":"a","__proto__":{"region":"x"},"constructor":1}');
  assert.match(
    refusal(() => order('aws', input)),
    /__proto__ is not allowed.*constructor is not/,
  );
});

test('an unknown parameter is not quoted: it may be a secret under a wrong name', () => {
  const message = refusal(() =>
    order('own_cluster', { ...smallestOrder('own_cluster'), kubeConfig: token }),
  );
  assert.match(message, /kubeConfig is not allowed \(allowed: name, kubeconfig, /);
  assert.doesNotMatch(message, new RegExp(token));
});

test('a trial goes to Europe, the US or Asia', () => {
  assert.match(
    refusal(() => order('trial', { name: 'a', region: 'mars' })),
    /^invalid region specified in request for trial: .*"europe", "us", "asia" \(got "mars"\)$/,
  );
});

test('platform regions with EU access get one region', () => {
  const azure = planNamed('azure');
  const inSwitzerland = (region: string) =>
    parseProvisioningParameters(azure, { name: 'a', region }, platformIn('cf-ch20'));
  assert.equal(inSwitzerland('switzerlandnorth').region, 'switzerlandnorth');
  assert.match(
    refusal(() => inSwitzerland('westeurope')),
    /following: "switzerlandnorth" \(got/,
  );
});

test('the free plan is closed at providers that are not enabled for it', () => {
  const free = planNamed('free', { freeProviders: ['aws'] });
  assert.equal(
    refusal(() => parseProvisioningParameters(free, { name: 'a' }, platformIn('cf-eu20'))),
    'while obtaining plan defaults: freemium provider Azure is not enabled (enabled: aws)',
  );
  parseProvisioningParameters(free, { name: 'a' }, platformIn('cf-eu10'));
});

test('the autoscaler needs room, with the plan’s defaults for what is left out', () => {
  const text = (max: number, min: number, user: string, plan: string) =>
    `AutoScalerMax ${max} should be larger than AutoScalerMin ${min}. User provided values ${user}; plan defaults ${plan}`;
  assert.equal(
    refusal(() => order('aws', { name: 'a', autoScalerMin: 21 })),
    text(20, 21, 'min:21, max:<nil>', 'min:3, max:20'),
  );
  assert.equal(
    refusal(() => order('openstack', { name: 'a', autoScalerMax: 3 })),
    text(3, 4, 'min:<nil>, max:3', 'min:4, max:8'),
  );
  assert.equal(
    refusal(() => update('aws', { autoScalerMin: 12 }, { name: 'a', autoScalerMax: 10 })),
    text(10, 12, 'min:12, max:10', 'min:3, max:20'),
  );
  order('aws', { name: 'a', autoScalerMin: 5, autoScalerMax: 5 });
});

test('a cluster that can neither gain nor lose a node is refused', () => {
  assert.match(
    refusal(() => order('aws', { name: 'a', maxSurge: 0 })),
    /^maxSurge and maxUnavail/,
  );
  order('aws', { name: 'a', maxSurge: 0, maxUnavailable: 1 });
  assert.match(
    refusal(() => update('aws', { maxUnavailable: 0 }, { maxSurge: 0 })),
    /both be 0/,
  );
});

const oidcRules: readonly (readonly [oidc: object, message: string | undefined])[] = [
  [{}, undefined],
  [{ clientID: '', issuerURL: '', signingAlgs: [] }, undefined],
  [{ groupsClaim: 'g' }, 'clientID must not be empty, issuerURL must not be empty'],
  [{ clientID: 'c', issuerURL: 'idp' }, 'issuerURL must be a valid URL (got "idp")'],
  [{ clientID: 'c', issuerURL: 'https://' }, 'issuerURL must be a valid URL (got "https://")'],
  [
    { clientID: 'c', issuerURL: 'http://idp.test' },
    'issuerURL must have https scheme (got "http://idp.test")',
  ],
  [
    { clientID: 'c', issuerURL: 'https://idp.test', signingAlgs: ['RS256', 'HS256'] },
    'signingAlgs must contain valid signing algorithm(s) (got ["HS256"], allowed: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512)',
  ],
];
for (const [oidc, message] of oidcRules) {
  test(`oidc ${JSON.stringify(oidc)} is ${message ? 'refused' : 'taken'}`, () => {
    for (const run of [() => order('trial', { name: 'a', oidc }), () => update('aws', { oidc })]) {
      if (message) assert.equal(refusal(run), message);
      else run();
    }
  });
}

test('an administrator has a name', () => {
  assert.match(
    refusal(() => order('aws', { name: 'a', administrators: ['b', ' '] })),
    /^administrators must not contain empty names \(got \["b"," "\]\)$/,
  );
});

const ranges: readonly (readonly [nodes: string, ...problems: string[]])[] = [
  ['10.250.0.0/23'],
  ['172.16.0.0/16'],
  ['nowhere', 'while parsing nodes CIDR: invalid CIDR address: "nowhere"'],
  ['10.250.0.1/22', '10.250.0.1 must be valid canonical CIDR (got 10.250.0.1/22)'],
  ['10.250.0.0/24', 'the suffix of the node CIDR must not be greater than 23 (got 10.250.0.0/24)'],
  ...['10.242.0.0/16', '10.254.0.0/16', '10.64.0.0/11'].map(
    (seed) =>
      [
        seed === '10.64.0.0/11' ? '10.64.0.0/16' : seed,
        `nodes CIDR must not overlap ${seed}`,
      ] as const,
  ),
  [
    '10.243.0.0/18',
    'nodes CIDR must not overlap 10.243.0.0/17',
    'nodes CIDR must not overlap 10.243.0.0/16',
  ],
  [
    '10.243.128.0/18',
    'nodes CIDR must not overlap 10.243.128.0/17',
    'nodes CIDR must not overlap 10.243.0.0/16',
  ],
  ['10.104.0.0/16', 'nodes CIDR must not overlap services CIDR 10.104.0.0/13'],
  ['10.96.0.0/16', 'nodes CIDR must not overlap pods CIDR 10.96.0.0/13'],
];
for (const [nodes, ...problems] of ranges) {
  test(`nodes in ${nodes} are ${problems.length > 0 ? 'refused' : 'taken'}`, () => {
    const run = () => order('aws', { name: 'a', networking: { nodes } });
    if (problems.length === 0) {
      assert.deepEqual(run().networking, { nodes });
      return;
    }
    const message = refusal(run);
    for (const problem of problems) assert.ok(message.includes(problem), message);
    assert.equal(
      message.startsWith(`${problems.length} errors occurred:\n\t* `),
      problems.length > 1,
    );
  });
}

test('networking can be switched off, and never takes ranges for pods and services', () => {
  const networking = { nodes: '10.250.0.0/22' };
  assert.equal(
    refusal(() => order('aws', { name: 'a', networking }, { allowNetworking: false })),
    'providing networking parameters is not allowed',
  );
  const more = { ...networking, pods: '10.0.0.0/8', services: '10.0.0.0/8' };
  const message = refusal(() => order('aws', { name: 'a', networking: more }));
  assert.match(message, /pod network's CIDR is not supported in the request/);
  assert.match(message, /service network's CIDR is not supported in the request/);
});

test('zones are those of the region, each once, and at most four', () => {
  const zones = (...letters: string[]) => letters.map((letter) => `us-east-1${letter}`);
  const inVirginia = (names: string[]) =>
    order('aws', { name: 'a', region: 'us-east-1', zones: names });
  assert.deepEqual(inVirginia(zones('a', 'f')).zones, zones('a', 'f'));
  assert.match(
    refusal(() => inVirginia(zones('e'))),
    /^zones: the zones of us-east-1 are us-east-1a, /,
  );
  assert.match(
    refusal(() => inVirginia(zones('a', 'a'))),
    /^zones: each zone must be named once/,
  );
  assert.match(
    refusal(() => inVirginia(zones('a', 'b', 'c', 'd', 'f'))),
    /^zones: number of zones must not be greater than 4 \(got /,
  );
  assert.match(
    refusal(() => order('azure', { name: 'a', zones: ['4'] })),
    /are 1, 2, 3 \(got \["4"\]\)/,
  );
});

test('Kyma versions are dropped unless requests may name them; the licence is never theirs to name', () => {
  const given = { name: 'a', kymaVersion: '2.0.0', overridesVersion: '2.0.1', licence_type: 'x' };
  assert.deepEqual(order('aws', given), { name: 'a' });
  assert.deepEqual(order('aws', given, { onDemandVersions: true }), {
    name: 'a',
    kymaVersion: '2.0.0',
    overridesVersion: '2.0.1',
  });
});

test('the kubeconfig of an own cluster comes out decoded and secret', () => {
  const parameters = order('own_cluster', smallestOrder('own_cluster'));
  assert.ok(parameters.kubeconfig instanceof Secret);
  assert.equal(parameters.kubeconfig.reveal(), kubeconfigText());
  assert.doesNotMatch(inspect(parameters, { depth: Infinity }), new RegExp(token));
  const kubeconfig = base64(kubeconfigText());
  assert.equal(update('own_cluster', { kubeconfig }).kubeconfig?.reveal(), kubeconfigText());
});

test('only trials expire', () => {
  assert.deepEqual(update('trial', { expired: true }), { expired: true });
  assert.equal(
    refusal(() => update('aws', { expired: true })),
    'expiration of a non-trial instance is not supported (expired: true, plan aws)',
  );
});

test('an update is not refused for what the instance has had for long', () => {
  const current = {
    networking: { nodes: '10.242.0.0/16' },
    zones: ['gone'],
    administrators: [''],
    oidc: { clientID: 'c' },
  };
  assert.deepEqual(update('aws', { autoScalerMax: 30 }, current), { autoScalerMax: 30 });
});
