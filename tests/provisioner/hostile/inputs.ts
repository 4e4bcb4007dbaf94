// Families of inputs that are wrong at one place: types, names, sizes, characters.
import { asking, askingWith, type Family, type Surroundings } from './hostile-request.ts';
import { fullOrder, orders, written, type Order } from './orders.ts';
import type { Random } from './random.ts';
import { asJson, Written } from './written-value.ts';

const orValid = (share: number, make: Family['make']): Family => ({
  share,
  mayBeValid: true,
  make,
});
const of = (share: number, make: Family['make']): Family => ({ share, mayBeValid: false, make });

type Place = { readonly holder: Record<string, unknown>; readonly key: string };

const anOrder = ({ random, shootName }: Surroundings): Order =>
  random.pick(Object.values(orders))(shootName);

/** Every member of every object in it, and every element of every list. */
export function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>; // an array is one, too
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

/** Its input in the text, or in the variables. */
function asked({ random, runtimeId }: Surroundings, order: Order) {
  const fields = '{ id operation state message runtimeID lastError { errMessage } }';
  if (random.chance(0.5)) return asking(written(order, runtimeId, fields));
  const { field, type, input } = order;
  const id = field === 'provisionRuntime' ? '' : `id: "${runtimeId}", `;
  return askingWith(
    `mutation($config: ${type}!) { ${field}(${id}config: $config) ${fields} }`,
    `{"config":${asJson(input)}}`,
  );
}

/** A valid one, with one place changed; of those that have such a place. */
const spoilt =
  (value: (random: Random) => unknown, isMeant: (place: unknown) => boolean = () => true) =>
  (around: Surroundings) => {
    for (;;) {
      const order = anOrder(around);
      const places = placesIn(order.input).filter(({ holder, key }) => isMeant(holder[key]));
      if (places.length === 0) continue;
      const { holder, key } = around.random.pick(places);
      holder[key] = value(around.random);
      return asked(around, order);
    }
  };

const isText = (value: unknown) => typeof value === 'string';
const isList = (value: unknown) => Array.isArray(value);
const isNumber = (value: unknown) => typeof value === 'number';

export const inputs: Readonly<Record<string, Family>> = {
  'wrong types': orValid(
    1_200,
    spoilt((random) =>
      random.pick<unknown>([
        null,
        true,
        0,
        -1,
        1.5,
        '',
        'x',
        [],
        [[]],
        [null],
        {},
        { a: 1 },
        { constructor: { prototype: 1 } },
        ['x', 1],
        new Written('1e400'),
      ]),
    ),
  ),
  'wrong numbers': orValid(
    400,
    spoilt(
      (random) =>
        new Written(
          random.pick([
            '2147483648',
            '-2147483649',
            '9007199254740993',
            '1e999',
            '-0',
            '1.0000000000000001',
            '9'.repeat(random.pick([30, 1_000, 100_000])),
            `0.${'1'.repeat(10_000)}`,
          ]),
        ),
      isNumber,
    ),
  ),
  'wrong texts': orValid(
    800,
    spoilt(
      (random) =>
        random.pick([
          '\u0000',
          'a\u0000b',
          '\ud800',
          'a\udfffb',
          '\u202e',
          '\ufeff',
          '\u2028',
          '😀',
          '../../etc/passwd',
          "'; drop table runtimes; --",
          '${7*7}',
          '<script>',
          '%00',
          '\r\nheader: x',
          '-',
          '.',
          ' ',
          'x'.repeat(random.pick([64, 300, 10_000, 200_000])),
        ]),
      isText,
    ),
  ),
  // Labels are any JSON.
  'huge texts': orValid(
    40,
    spoilt(
      (random) => ({ ['x'.repeat(random.pick([1_000, 500_000]))]: 'x'.repeat(1_000_000) }),
      (value) => isText(value) || isNumber(value),
    ),
  ),
  'huge lists': of(
    100,
    spoilt((random) => {
      const length = random.pick([1_001, 5_000, 30_000]);
      return Array.from({ length }, (_, index) =>
        length % 2 ? `item-${index}` : { name: index, cidr: `10.250.${index & 255}.0/32` },
      );
    }, isList),
  ),
  'longest lists': orValid(
    60,
    spoilt(
      (random) =>
        random.pick([longestOf('text'), longestOf('azure'), longestOf('aws'), longestOf('entry')]),
      isList,
    ),
  ),
  'unknown members': of(300, (around) => {
    const order = anOrder(around);
    const places = placesIn(order.input).filter(
      ({ holder, key }) => !Array.isArray(holder) && !['team', 'sizes'].includes(key),
    );
    const { holder } = around.random.pick(places);
    if ('team' in holder) return asking('{ nosuch }');
    holder[around.random.pick(['nosuch', 'Name', '__typename', 'toString', 'x'.repeat(1_000)])] = 1;
    return asked(around, order);
  }),
  'odd labels': orValid(150, (around) => {
    const { random, shootName } = around;
    const labels = random.pick<unknown>([
      [],
      'x',
      1,
      { ['x'.repeat(5_000)]: 1 },
      { '': 1 },
      { 'a\u0000': 1 },
      { '\ud800': 1 },
      { a: { b: { c: { d: 1 } } } },
      { a: new Written('1e999') },
      Object.fromEntries(Array.from({ length: 990 }, (_, n) => [`k${n}`, n])),
    ]);
    const input = fullOrder('gcp', shootName);
    Object.assign(input, { runtimeInput: { name: 'demo', labels } });
    return asked(around, { field: 'provisionRuntime', type: 'ProvisionRuntimeInput', input });
  }),
};

/** As long as a list may be, and zones that are longer than that: what do rules cost that compare the elements? */
function longestOf(kind: 'text' | 'azure' | 'aws' | 'entry'): readonly unknown[] {
  const network = (n: number) => `10.250.${n >> 8}.${n & 255}/32`;
  return Array.from({ length: 1_000 }, (_, n) => {
    const name = `eu-central-1-${n}`;
    const ranges = { workerCidr: network(3 * n), publicCidr: network(3 * n + 1) };
    if (kind === 'aws') return { name, ...ranges, internalCidr: network(3 * n + 2) };
    if (kind === 'azure') return { name: n, cidr: network(n) };
    return kind === 'text' ? `item-${n}` : { key: `key-${n}`, value: 'x' };
  });
}
