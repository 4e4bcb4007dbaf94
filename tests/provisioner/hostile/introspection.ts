// What asks for the schema itself: refused as a whole where the switch is off, and never dear where it is on.
import { getIntrospectionQuery } from 'graphql';
import { asking, type Family, type Surroundings } from './hostile-request.ts';

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

const questions = ({ random }: Surroundings) => [
  getIntrospectionQuery({ descriptions: random.chance(0.5), inputValueDeprecation: true }),
  '{ __schema { types { name } } }',
  '{ __type(name: "Query") { fields { name } } }',
  `{ __type(name: "${random.pick(['__proto__', 'constructor', 'x'.repeat(50_000)])}") { name } }`,
  `{ __schema { ${times(random.pick([3, 100]), (n) => `t${n}: types { name fields { name type { name } } }`)} } }`,
  `{ __schema { types { ${times(random.pick([3, 140]), (n) => `f${n}: fields { args { type { name } } }`)} } } }`,
  `{ __schema { types { ${times(random.pick([3, 590]), (n) => `n${n}: description`)} } } }`,
  `{ __schema { types ${'{ fields { type '.repeat(random.pick([3, 8]))} { name } ${'} }'.repeat(8)} } }`,
  `{ __schema { types { ${times(17, () => '...A')} } } }
   fragment A on __Type { ${times(10, (n) => `a${n}: fields { type { ...B } }`)} }
   fragment B on __Type { ${times(10, (n) => `b${n}: fields { name }`)} }`,
];

export const introspection = (isOn: boolean): Readonly<Record<string, Family>> => ({
  introspection: {
    share: 300,
    mayBeValid: isOn,
    make: (around) => asking(around.random.pick(questions(around))),
  },
});
