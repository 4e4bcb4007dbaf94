import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOf, signatureHeaders, signatureOf } from './signature-v4.ts';

// The examples that AWS publishes: the test suite of Signature Version 4, and the guide to it (`iam`).
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const time = '20150830T123600Z';
const now = new Date('2015-08-30T12:36:00Z');
const place = { region: 'us-east-1', service: 'service' };

for (const [name, query, signature] of [
  ['get-vanilla', '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    '?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
] as const)
  test(`the request ${name} of AWS's test suite is signed as it says there`, () => {
    const url = new URL(`https://example.amazonaws.com/${query}`);
    assert.deepEqual(signatureHeaders(url, credentials, place, now), {
      'x-amz-date': time,
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

test("the example of AWS's guide, with a header more, has the signature that is printed there", () => {
  const request = {
    method: 'GET',
    url: new URL('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08'),
    headers: {
      'x-amz-date': time,
      host: 'iam.amazonaws.com',
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    },
  };
  assert.equal(
    signatureOf(request, { ...place, time, service: 'iam' }, credentials.secretAccessKey),
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  );
});

test('a query is written in one way: in the order of names, then of values, and encoded as in RFC 3986', () => {
  const unreserved = '-._~09AZaz';
  assert.equal(
    queryOf([
      ['b', '2'],
      ['a1', ''],
      ['a', "it's + (1) * €"],
      ['b', '10'],
      [unreserved, unreserved],
    ]),
    `${unreserved}=${unreserved}&a=it%27s%20%2B%20%281%29%20%2A%20%E2%82%AC&a1=&b=10&b=2`,
  );
});
