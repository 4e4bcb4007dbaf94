import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { inspect } from 'node:util';
import { minutes } from '#time';
import { signatureHeaders } from './signature-v4.ts';
import {
  answers,
  clientOf,
  credentials,
  ec2Of,
  failsWith,
  putVolume,
  signal,
  startAws,
} from './testing.ts';

const region = 'eu-central-1';
const landscape = await startAws();
const ec2 = ec2Of(landscape, { breakAfter: 1_000 });
afterEach(() => landscape.faults.remove());
after(() => landscape[Symbol.asyncDispose]());

const page = (content: string) =>
  `<DescribeVolumesResponse><volumeSet>${content}</volumeSet></DescribeVolumesResponse>`;
const refusal = (code: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${code}</Code>` +
  `<Message>${credentials.secretAccessKey}</Message></Error></Errors><RequestID>1</RequestID></Response>`;

test('an account has regions, each with volumes of its own, that are deleted one by one', async () => {
  assert.ok((await ec2.regions(signal)).includes('us-east-1'));
  await putVolume(landscape, 'vol-a', { region });
  await putVolume(landscape, 'vol-b', { region: 'us-east-1' });
  await putVolume(landscape, 'vol-c', { region, account: 'another' });
  assert.deepEqual(await ec2.volumes(region, signal), [{ id: 'vol-a', state: 'available' }]);
  await ec2.deleteVolume(region, 'vol-a', signal);
  assert.deepEqual(await ec2.volumes(region, signal), [{ id: 'vol-a', state: 'deleting' }]);
  landscape.time.advance(minutes(2));
  assert.deepEqual(await ec2.volumes(region, signal), []);
  await ec2.deleteVolume(region, 'vol-a', signal); // it is gone
  assert.deepEqual(await ec2.volumes('us-east-1', signal), [{ id: 'vol-b', state: 'available' }]);
});

test('all volumes are found, however many pages they fill', async () => {
  const ids = Array.from({ length: 45 }, (_, n) => `vol-${n}`);
  await Promise.all(ids.map((id) => putVolume(landscape, id, { region: 'eu-west-1' })));
  const found = await ec2.volumes('eu-west-1', signal);
  assert.deepEqual(found.map(({ id }) => id).toSorted(), ids.toSorted());
});

for (const [state, reason] of [
  ['in-use', 'VolumeInUse'],
  ['creating', 'IncorrectState'],
] as const)
  test(`a volume that is ${state} cannot be deleted yet`, async () => {
    await putVolume(landscape, 'vol-early', { region: 'ap-southeast-1', state });
    await assert.rejects(
      ec2.deleteVolume('ap-southeast-1', 'vol-early', signal),
      failsWith({ temporary: true, reason, status: 400 }),
    );
  });

for (const [status, code, temporary] of [
  [400, 'InvalidParameterValue', false],
  [400, 'RequestExpired', false],
  [401, 'AuthFailure', false],
  [403, 'UnauthorizedOperation', false],
  [400, 'RequestLimitExceeded', true],
  [503, 'RequestLimitExceeded', true],
  [500, 'InternalError', true],
] as const)
  test(`status ${status}, ${code}, is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    answers(landscape, '', status, refusal(code));
    const expected = failsWith({ temporary, reason: code, status });
    await assert.rejects(ec2.regions(signal), expected);
    await assert.rejects(ec2.volumes(region, signal), expected);
    await assert.rejects(ec2.deleteVolume(region, 'vol-1', signal), expected);
  });

test('an error that is no XML, or has no code, is known by its status', async () => {
  for (const body of ['', '<html>', '{}', refusal('no code'), refusal('a'.repeat(65))]) {
    landscape.faults.remove();
    answers(landscape, 'DescribeRegions', 502, body);
    await assert.rejects(
      ec2.regions(signal),
      failsWith({ temporary: true, reason: 'err_http_status_code', status: 502 }),
    );
  }
});

for (const [what, action, body, field] of [
  ['without regions', 'DescribeRegions', '<DescribeRegionsResponse/>', 'DescribeRegionsResponse'],
  [
    'with a region that is no name',
    'DescribeRegions',
    '<DescribeRegionsResponse><regionInfo><item><regionName>evil.example.com/</regionName></item></regionInfo></DescribeRegionsResponse>',
    'regionInfo.0.regionName',
  ],
  [
    'with a volume that has no id',
    'DescribeVolumes',
    page('<item><status>x</status></item>'),
    'volumeSet.0.volumeId',
  ],
  ['that is no XML', 'DescribeVolumes', 'volumes', 'it is no XML'],
  [
    'that the volume stays',
    'DeleteVolume',
    '<DeleteVolumeResponse><return>false</return></DeleteVolumeResponse>',
    'DeleteVolumeResponse.return',
  ],
] as const)
  test(`an answer ${what} is a wrong one, and names the field`, async () => {
    answers(landscape, action, 200, body);
    const call = {
      DescribeRegions: () => ec2.regions(signal),
      DescribeVolumes: () => ec2.volumes(region, signal),
      DeleteVolume: () => ec2.deleteVolume(region, 'vol-1', signal),
    }[action];
    await assert.rejects(call(), (error: Error) => {
      assert.ok(error.message.includes(field), error.message);
      return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
    });
  });

test('a state that nobody knows is passed on', async () => {
  await putVolume(landscape, 'vol-strange', { region });
  const action = { kind: 'state', field: 'status', state: 'at <rest>' } as const;
  landscape.faults.add({ system: 'aws', path: 'DescribeVolumes', action });
  assert.deepEqual(await ec2.volumes(region, signal), [{ id: 'vol-strange', state: 'at <rest>' }]);
});

test('whoever has another secret is refused, and nobody is shown one', async () => {
  const client = clientOf(landscape);
  const wrong = client.ec2({ ...credentials, secretAccessKey: 'canary-secret' });
  await assert.rejects(
    wrong.regions(signal),
    failsWith({ temporary: false, reason: 'AuthFailure', status: 401 }),
  );
  const shown = inspect([client, ec2, wrong, landscape.requests], { depth: 9, showHidden: true });
  assert.doesNotMatch(shown, /canary-secret|simulated-secretAccessKey|Signature/);
});

test('a request that was changed on its way, is for another region, or is old, is refused', async () => {
  const url = `${landscape.url}/aws/${region}/?Action=DescribeRegions&Version=2016-11-15`;
  const place = { region, service: 'ec2' };
  const send = async (to: string, signedAt = new Date()) => {
    const headers = signatureHeaders(new URL(url), credentials, place, signedAt);
    const { status } = await fetch(to, { headers });
    return status;
  };
  assert.equal(await send(url), 200);
  assert.equal(await send(url.replace('Regions', 'Volumes')), 401);
  assert.equal(await send(url.replace(region, 'us-east-1')), 401);
  assert.equal(await send(url, new Date(Date.now() - minutes(16))), 400);
});

test('trouble in one account leaves the others alone', async () => {
  const client = clientOf(landscape, { breakAfter: 1 });
  const [troubled, other] = [client.ec2(credentials), client.ec2(credentials)];
  const fault = answers(landscape, '', 503, '');
  await assert.rejects(troubled.regions(signal), failsWith({ reason: 'err_http_status_code' }));
  landscape.faults.remove(fault);
  await assert.rejects(troubled.regions(signal), failsWith({ reason: 'left_alone' }));
  await other.regions(signal);
});
