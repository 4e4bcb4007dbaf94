import { awsClient } from '#clients';
import { credentials, putVolume } from '../../src/clients/aws/testing.ts';
import { aws as simulated } from '../../src/landscape/aws/testing.ts';
import { contract } from './contract.ts';
import { canary } from './secrets.ts';

const region = 'eu-central-1';
const at = (action: string) => `GET /{region}/?Action=${action}`;
const refusal = (code: string) =>
  `<Response><Errors><Error><Code>${code}</Code><Message>${canary('aws', 9)}</Message></Error></Errors></Response>`;
const passing = (status: number, code: string) => ({
  status,
  body: refusal(code),
  gives: { temporary: true, reason: code, status },
});

export const aws = contract({
  title: 'AWS EC2',
  section: '21',
  system: 'aws',
  maker: 'awsClient',
  client: 'src/clients/aws/aws-ec2.ts',
  landscape: 'src/landscape/aws/aws.ts',
  test: 'src/clients/aws/aws-ec2.test.ts',
  simulators: [simulated],
  refusal: () => ({ body: refusal('SomeCode'), reason: 'SomeCode' }),
  answers: {
    'throttling, in the words of AWS': passing(503, 'RequestLimitExceeded'),
    'a volume that is in use': passing(400, 'VolumeInUse'),
    'a volume in another state': passing(400, 'IncorrectState'),
  },
  others: { 'PUT /_landscape/volumes/{id}': 'a switch: which volumes there are' },
  connect({ url }, limits, keepSecret) {
    keepSecret(credentials.secretAccessKey);
    return awsClient({ ...limits, ec2Url: `${url}/aws/{region}` }).ec2(credentials);
  },
  calls(client, _patient, landscape) {
    const prepare = () => putVolume(landscape, 'vol-1', { region });
    return {
      regions: {
        endpoints: [at('DescribeRegions')],
        call: (signal) => client.regions(signal),
      },
      volumes: {
        endpoints: [at('DescribeVolumes')],
        prepare,
        call: (signal) => client.volumes(region, signal),
        missing: 'done',
      },
      deleteVolume: {
        endpoints: [at('DeleteVolume')],
        prepare,
        call: (signal) => client.deleteVolume(region, 'vol-1', signal),
        answers: {
          'a volume that is gone': {
            status: 400,
            body: refusal('InvalidVolume.NotFound'),
            gives: 'done',
          },
        },
        missing: 'done',
        repeated: { temporary: true, reason: 'IncorrectState', status: 400 },
      },
    };
  },
});
