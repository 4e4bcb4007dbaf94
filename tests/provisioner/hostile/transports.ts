// Families of requests that are wrong before anybody looks at the document.
import { asking, gotten, posted, sentRaw, type Family } from './hostile-request.ts';

const of = (share: number, make: Family['make']): Family => ({ share, mayBeValid: false, make });
const orValid = (share: number, make: Family['make']): Family => ({
  share,
  mayBeValid: true,
  make,
});
const question = '{"query":"{ __typename }"}';
const head = (line: string, ...headers: string[]) =>
  [line, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n');

export const transports: Readonly<Record<string, Family>> = {
  'broken JSON': of(500, ({ random }) => {
    const at = random.between(0, question.length - 1);
    return posted(
      random.pick([
        '',
        question.slice(0, at),
        `${question}${random.pick(['}', ',', 'x', question])}`,
        `[${question}`,
        `{'query':'{ __typename }'}`,
        '{"query":"\\x"}',
        '{"query":undefined}',
        '\u0000',
        'NaN',
        '['.repeat(random.pick([10, 100_000])),
        '{"a":'.repeat(random.pick([10, 100_000])),
        random.bytes(random.between(1, 200)),
      ]),
    );
  }),
  'JSON of another kind': of(500, ({ random }) =>
    posted(
      random.pick([
        'null',
        'true',
        '1e400',
        '"{ __typename }"',
        '{}',
        '[]',
        `[${question}]`,
        `[${Array.from({ length: random.pick([10, 10_000]) }, () => question).join(',')}]`,
        '{"query":1}',
        '{"query":null}',
        '{"query":["{ __typename }"]}',
        '{"query":{"a":1}}',
        '{"query":"{ __typename }","variables":[]}',
        '{"query":"{ __typename }","variables":"{}"}',
        '{"query":"{ __typename }","variables":1}',
        '{"query":"{ __typename }","operationName":1}',
        '{"query":"{ __typename }","operationName":"nosuch"}',
        '{"query":"query A { __typename } query B { __typename }"}',
        `{"query":"{ __typename }","operationName":"${'x'.repeat(100_000)}"}`,
      ]),
    ),
  ),
  'prototype keys': of(300, ({ random }) => {
    const key = random.pick(['__proto__', 'constructor":{"prototype', '\\u005f_proto__']);
    const poison = `"${key}":{"a":1}${key.includes('{') ? '}' : ''}`;
    return posted(
      random.pick([
        `{${poison}}`,
        `{"query":"{ __typename }",${poison}}`,
        `{"query":"query($a: String!) { runtimeStatus(id: $a) { __typename } }","variables":{${poison}}}`,
        `{"query":"{ __typename }","variables":{"a":{"b":[{${poison}}]}}}`,
      ]),
    );
  }),
  'other content types': of(400, ({ random }) =>
    posted(random.pick([question, 'query={__typename}', '{ __typename }']), {
      'content-type': random.pick([
        'text/plain',
        'application/graphql',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/json5',
        'application/jsonp',
        'json',
        '*/*',
        ';',
        'application/',
        'application/octet-stream',
        'text/plain; application/json',
        'x'.repeat(5_000),
      ]),
    }),
  ),
  'other encodings': of(150, ({ random }) =>
    random.chance(0.5)
      ? posted(Buffer.from(question, 'utf16le'))
      : posted(random.bytes(50), { 'content-encoding': random.pick(['gzip', 'br', 'nosuch']) }),
  ),
  'invalid UTF-8': of(300, ({ random }) => {
    const bad = random.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80], [0xe2, 0x82]]);
    const [before = '', after = ''] = random.pick([
      ['{"query":"{ __typename #', '"}'],
      ['{"query":"{ runtimeStatus(id: \\"', '\\") { __typename } }"}'],
      ['{"query":"{ __typename }","variables":{"', '":1}}'],
      ['', question],
    ]);
    return posted(Buffer.concat([Buffer.from(before), Buffer.from(bad), Buffer.from(after)]));
  }),
  'odd GET requests': of(500, ({ random }) =>
    gotten(
      random.pick([
        '/graphql',
        '/graphql?',
        '/graphql?query',
        '/graphql?query=',
        '/graphql?query=%',
        '/graphql?query=%00',
        '/graphql?query=%ff%fe',
        '/graphql?query={',
        '/graphql?query={__typename}&query={__typename}',
        '/graphql?query[]={__typename}',
        '/graphql?query={__typename}&variables=[]',
        '/graphql?query={__typename}&variables={',
        '/graphql?query={__typename}&variables=1',
        '/graphql?query={__typename}&operationName=nosuch',
        '/graphql?query=mutation{deprovisionRuntime(id:%22x%22)}',
        '/graphql?query=subscription{a}',
        '/graphql?__proto__=1',
        '/graphql?constructor[prototype]=1',
        `/graphql?query={__typename}${'&a=1'.repeat(1_500)}&variables=x`,
        `/graphql?query=${'%7B'.repeat(3_000)}`,
        `/graphql?query=${'a'.repeat(20_000)}`,
      ]),
    ),
  ),
  'other places and methods': of(250, ({ random }) => ({
    ...posted(question),
    ...random.pick([
      { method: 'PUT' },
      { method: 'DELETE' },
      { method: 'PATCH' },
      { method: 'OPTIONS' },
      { method: 'PROPFIND' },
      { path: '/graphql/' },
      { path: '/graphql/..' },
      { path: '//graphql' },
      { path: '/%' },
      { path: '/%00' },
      { path: '/graphql%2f' },
      { path: '/GRAPHQL' },
      { path: `/${'a'.repeat(5_000)}` },
    ]),
  })),
  'streams of nothing': of(200, ({ random, operationId }) => {
    const id = random.pick(['x', '%00', '..', 'a'.repeat(101), operationId]);
    const tenant = id === operationId ? random.pick(['', 'another']) : 'ga-1';
    return gotten(`/operations/${id}/events`, { tenant });
  }),
  'tenants and keys': orValid(400, ({ random, runtimeId }) => {
    const length = random.pick([0, 1, 100, 8_000, 15_000, 20_000, 100_000]);
    const text = random.pick(['x', '\u00ff', ' ', '"', '{', "'; drop table runtimes;--"]);
    const value = text.repeat(Math.ceil(length / text.length));
    const name = random.pick(['tenant', 'sub-account', 'idempotency-key']);
    const query = `{ runtimeStatus(id: "${runtimeId}") { lastOperationStatus { id } } }`;
    return asking(query, { [name]: random.chance(0.9) ? value : ['a', value] });
  }),
  'too much in all': of(12, ({ random }) => {
    const size = random.pick([4 * 2 ** 20 + 1, 5 * 2 ** 20]);
    return posted(`{"query":"${'x'.repeat(size)}"}`);
  }),
  'broken HTTP': of(250, ({ random }) => {
    const body = random.pick(['', question]);
    return sentRaw(
      random.pick([
        'x\r\n\r\n',
        '\u0000\u0000\u0000\u0000\r\n\r\n',
        head('POST /graphql HTTP/9.9'),
        head('POST /graphql'),
        head('post /graphql HTTP/1.1'),
        head('POST  /graphql  HTTP/1.1'),
        head('POST /graphql HTTP/1.1', 'tenant: a\u0000b'),
        head('POST /graphql HTTP/1.1', 'tenant : x'),
        head('POST /graphql HTTP/1.1', ': x'),
        `${head('POST /graphql HTTP/1.1', 'content-length: -1')}${body}`,
        `${head('POST /graphql HTTP/1.1', 'content-length: 1', 'content-length: 2')}${body}`,
        `${head('POST /graphql HTTP/1.1', 'content-length: 1e3')}${body}`,
        `${head('POST /graphql HTTP/1.1', 'content-length: 99999999999999999999')}${body}`,
        `${head('POST /graphql HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked')}zz\r\n${body}`,
        `${head('POST /graphql HTTP/1.1', 'transfer-encoding: chunked', 'content-length: 3')}0\r\n\r\n`,
        head('POST /graphql HTTP/1.1', 'expect: the-unexpected'),
        `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      ]),
    );
  }),
};
