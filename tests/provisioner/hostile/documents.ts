// Families of documents that cost much, or that are wrong as a whole.
import { asking, askingWith, type Family } from './hostile-request.ts';

const of = (share: number, make: Family['make']): Family => ({ share, mayBeValid: false, make });
const orValid = (share: number, make: Family['make']): Family => ({
  share,
  mayBeValid: true,
  make,
});
const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');
const anyId = '00000000-0000-4000-8000-000000000000';
const status = (id: string) => `runtimeOperationStatus(id: "${id}")`;

export const documents: Readonly<Record<string, Family>> = {
  'deep selections': of(150, ({ random }) => {
    const depth = random.pick([21, 50, 500, 5_000, 24_000]);
    const field = random.pick(['a', 'runtimeStatus', '... on Query', `a: ${status(anyId)}`]);
    return asking(`${`{ ${field} `.repeat(depth)}${'}'.repeat(random.pick([depth, 0]))}`);
  }),
  'deep values in the text': of(200, ({ random }) => {
    const depth = random.pick([40, 500, 5_000, 20_000]);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{a: ', '}'],
      ['[{a: [', ']}]'],
    ] as const);
    const value = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const labels = `{runtimeInput: {name: "a", labels: {a: ${value}}}}`;
    return asking(`mutation { provisionRuntime(config: ${random.pick([value, labels])}) { id } }`);
  }),
  'deep values in the variables': of(150, ({ random }) => {
    const depth = random.pick([40, 500, 10_000, 200_000]);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    const value = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const runtimeInput = `{"runtimeInput":{"name":"a","labels":{"a":${value}}}}`;
    return askingWith(
      'mutation($config: ProvisionRuntimeInput!) { provisionRuntime(config: $config) { id } }',
      `{"config":${random.pick([value, runtimeInput])}}`,
    );
  }),
  'deep types of variables': of(80, ({ random }) => {
    const depth = random.pick([40, 500, 20_000]);
    return asking(`query($a: ${'['.repeat(depth)}Int${']'.repeat(depth)}) { __typename }`);
  }),
  'thousands of aliases': of(80, ({ random }) => {
    const count = random.pick([21, 600, 3_000, 5_000]);
    return asking(`{ ${times(count, (n) => `a${n}: ${status(anyId)} { id }`)} }`);
  }),
  'repeated fields': of(100, ({ random, operationId }) => {
    const count = random.pick([650, 5_000, 20_000]);
    const field = random.pick(['id', 'a: id', 'lastError { reason }', '... { id }']);
    return asking(`{ ${status(operationId)} { ${times(count, () => field)} } }`);
  }),
  'many fields within the limit': orValid(50, ({ random, runtimeId }) => {
    const outside = random.pick(['kubeconfig', 'clusterConfig { name }', 'kubeconfig']);
    const count = random.pick([50, 250]);
    const fields = times(count, (n) => `a${n}: ${outside}`);
    return asking(`{ runtimeStatus(id: "${runtimeId}") { runtimeConfiguration { ${fields} } } }`);
  }),
  'fields that differ under one name': of(150, ({ random }) => {
    const count = random.between(2, 550);
    const differing = times(count, (n) => `a: ${status(`${anyId}-${n}`)} { id }`);
    return asking(`{ ... { ${differing} } }`);
  }),
  'fragment cycles': of(200, ({ random }) => {
    const length = random.between(1, 49);
    const cycle = times(
      length,
      (n) => `fragment F${n} on Query { ...F${(n + 1) % length} __typename }`,
    );
    return asking(`query { ...F0 } ${cycle}`);
  }),
  'fragments of fragments': orValid(150, ({ random, runtimeId }) => {
    const width = random.between(2, 4);
    const spread = (name: string, field: string, count = width) =>
      times(count, (n) => `${field}${n}: ${field} { ...${name} }`);
    const leaves = times(random.pick([2, 100, 400]), (n) => `k${n}: kubeconfig`);
    return asking(`query { ${times(width, (n) => `r${n}: runtimeStatus(id: "${runtimeId}") { ...A }`)} }
      fragment A on RuntimeStatus { ${spread('B', 'runtimeConfiguration')} }
      fragment B on RuntimeConfig { ${leaves} ${spread('C', 'clusterConfig')} }
      fragment C on GardenerConfig { ${times(random.between(1, 100), (n) => `n${n}: name`)} }`);
  }),
  'many uses of fragments': of(150, ({ random }) => {
    const count = random.pick([51, 500, 9_000]);
    return asking(`{ ${times(count, () => '...F')} } fragment F on Query { __typename }`);
  }),
  'many fragments and operations': of(50, ({ random }) => {
    const count = random.pick([2, 300, 5_000]);
    return asking(
      random.chance(0.5)
        ? `{ __typename } ${times(count, (n) => `fragment F${n} on Query { __typename }`)}`
        : times(count, (n) => `query Q${n} { __typename }`),
    );
  }),
  directives: of(250, ({ random }) => {
    const count = random.pick([1, 10, 51, 5_000]);
    const directive = random.pick([
      '@include(if: "yes")',
      '@skip(if: null)',
      '@nosuch',
      '@deprecated(reason: "x")',
      '@include(if: true) @include(if: true)',
      '@skip',
      '@specifiedBy(url: "x")',
      '@__proto__(constructor: 1)',
    ]);
    return asking(`{ __typename ${times(count, () => directive)} }`);
  }),
  'many arguments and variables': of(150, ({ random }) => {
    const count = random.pick([10, 1_000, 8_000]);
    return asking(
      random.pick([
        `{ runtimeStatus(${times(count, (n) => `a${n}: 1`)}) { __typename } }`,
        `{ runtimeStatus(${times(count, () => `id: "${anyId}"`)}) { __typename } }`,
        `query(${times(count, (n) => `$a${n}: String`)}) { __typename }`,
        `query { runtimeStatus(id: $a) { __typename } }`,
      ]),
    );
  }),
  'unknown fields': of(300, ({ random }) => {
    const name = random.pick([
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'runtimeStatu',
      'x'.repeat(random.pick([10, 10_000, 300_000])),
      `Ω`,
      '1',
      '$a',
    ]);
    const document = random.pick([
      `{ ${name} }`,
      `mutation { ${name}(id: "1") { id } }`,
      `{ runtimeStatus(${name}: 1) { ${name} } }`,
      `subscription { ${name} }`,
      `{ ... on ${name} { id } }`,
      `query($a: ${name}) { __typename @include(if: $a) }`,
      `mutation { provisionRuntime(config: { ${name}: 1 }) { id } }`,
    ]);
    return asking(document);
  }),
  'no document': of(200, ({ random }) =>
    asking(
      random.pick([
        '',
        ' ',
        '{',
        '}',
        '{}',
        '#',
        '{ a',
        '\u0000',
        '\uFEFF',
        '{ runtimeStatus(id: "',
        '{ runtimeStatus(id: """',
        'type Query { a: Int }',
        'schema { query: Query }',
        'extend type Query { a: Int }',
        'fragment F on Query { __typename }',
        `{ runtimeStatus(id: "\\u{110000}") { __typename } }`,
        `{ runtimeStatus(id: "\\uD800") { __typename } }`,
        '#'.repeat(random.pick([10, 1_000_000])),
        ','.repeat(random.pick([10, 1_000_000])),
      ]),
    ),
  ),
};
