// For tests of this client: a landscape with AWS alone, and who calls it.
import assert from 'node:assert/strict';
import { aws } from '../../landscape/aws/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { failuresOf } from '../testing.ts';
import { awsClient, type AwsSettings } from './aws-client.ts';

export const { signal } = new AbortController();
/** As in Gardener's Secrets. */
export const credentials = {
  accessKeyId: 'simulated-accessKeyID',
  secretAccessKey: 'simulated-secretAccessKey',
};
export const failsWith = failuresOf('aws', credentials.secretAccessKey);

export const startAws = () => startLandscape({ systems: [aws] });

export const clientOf = ({ url }: Landscape, more: AwsSettings = {}) =>
  awsClient({ ec2Url: `${url}/aws/{region}`, ...more });

export const ec2Of = (landscape: Landscape, more: AwsSettings = {}) =>
  clientOf(landscape, more).ec2(credentials);

/** There is such a volume from now on, or it is in another state. */
export async function putVolume(
  { url }: Landscape,
  id: string,
  volume: { region: string; account?: string; state?: string },
): Promise<void> {
  const { status } = await fetch(`${url}/aws/_landscape/volumes/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(volume),
  });
  assert.equal(status, 204);
}

/** From now on AWS answers so. */
export const answers = ({ faults }: Landscape, action: string, status: number, body: string) =>
  faults.add({
    system: 'aws',
    path: `Action=${action}`,
    action: { kind: 'answer', status, body },
  });
