import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  creationBody,
  evaluationDescription,
  evaluationName,
  type NewEvaluation,
} from './new-evaluation.ts';

const instance = { side: 'int', instanceId: '1234', runtimeName: 'demo' } as const;
const wanted: NewEvaluation = {
  name: 'the name',
  description: 'the description',
  testerAccessId: 1,
  groupId: 2,
  parentId: 3,
  tags: [],
};

for (const [plan, provider] of [
  ['aws', 'AWS'],
  ['gcp', 'GCP'],
  ['openstack', 'CC'],
  ['azure', 'AZR'],
  ['trial', 'AZR'],
  ['a plan of tomorrow', 'AZR'],
] as const) {
  test(`the name of an evaluation says ${provider} for plan ${plan}`, () => {
    assert.equal(evaluationName({ ...instance, plan }), `K8S-${provider}-Kyma-int-1234-demo`);
  });
}

test('a long name is cut to 80 bytes, and never in the middle of a character', () => {
  const name = evaluationName({ ...instance, plan: 'aws', runtimeName: `x${'ü'.repeat(80)}` });
  assert.equal(Buffer.byteLength(name), 79);
  assert.ok(name.endsWith(`-x${'ü'.repeat(28)}`), name);
});

test('the description tells whose runtime it is, in at most 255 bytes', () => {
  const of = {
    instanceName: 'my "demo"',
    globalAccountId: 'ga-1',
    subaccountId: 'sa-1',
    instanceId: '1234',
    shootName: 'c-1a2b3c4',
  };
  assert.equal(
    evaluationDescription(of),
    String.raw`{"instanceName": "my \"demo\"", "globalAccountID": "ga-1", "subAccountID": "sa-1", "instanceID": "1234", "shootName": "c-1a2b3c4"}`,
  );
  const long = evaluationDescription({ ...of, instanceName: 'x'.repeat(300) });
  assert.equal(Buffer.byteLength(long), 255);
});

test('an evaluation from inside has no URL and no check; its service is its name', () => {
  assert.deepEqual(creationBody(wanted), {
    definition_type: 'BASIC',
    name: 'the name',
    description: 'the description',
    service: 'the name',
    url: '',
    check_type: '',
    interval: 60,
    tester_access_id: 1,
    timeout: 30_000,
    read_only: false,
    content_check: 'error',
    content_check_type: 'NOT_CONTAINS',
    threshold: '30000',
    group_id: 2,
    visibility: 'PUBLIC',
    parent_id: 3,
    tags: [],
  });
});

test('an evaluation from outside asks a URL, for the service that is configured', () => {
  const url = 'https://healthz.c-1a2b3c4.example.com/healthz/ready';
  assert.partialDeepStrictEqual(creationBody({ ...wanted, url, service: 'kyma' }), {
    url,
    check_type: 'HTTPSGET',
    service: 'kyma',
  });
});
