import { randomUUID } from 'node:crypto';
import type { CloudRefusal } from '../cloud-refusal.ts';
import { stateOf, type Volume } from './volumes.ts';

// Answers as EC2 writes them.

export const regionsDocument = (regions: readonly string[]) =>
  response(
    'DescribeRegions',
    list(
      'regionInfo',
      regions.map(
        (region) =>
          element('regionName', region) +
          element('regionEndpoint', `ec2.${region}.amazonaws.com`) +
          element('optInStatus', 'opt-in-not-required'),
      ),
    ),
  );

export const volumesDocument = (volumes: readonly Volume[], nextToken?: string) =>
  response(
    'DescribeVolumes',
    list(
      'volumeSet',
      volumes.map(
        (volume) =>
          element('volumeId', volume.id) +
          element('size', '80') +
          element('availabilityZone', `${volume.region}a`) +
          element('status', stateOf(volume)) +
          '<snapshotId/><tagSet/>',
      ),
    ) + (nextToken === undefined ? '' : element('nextToken', nextToken)),
  );

export const deletionDocument = () => response('DeleteVolume', element('return', 'true'));

export const refusalDocument = ({ code, message }: CloudRefusal) =>
  `${declaration}<Response><Errors><Error>${element('Code', code)}${element('Message', message)}</Error></Errors>` +
  `${element('RequestID', randomUUID())}</Response>`;

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

const response = (action: string, content: string) =>
  `${declaration}<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">\n` +
  `${element('requestId', randomUUID())}\n${content}\n</${action}Response>`;

const list = (name: string, items: readonly string[]) =>
  items.length === 0
    ? `<${name}/>`
    : `<${name}>${items.map((item) => `\n<item>${item}</item>`).join('')}\n</${name}>`;

const element = (name: string, text: string) =>
  `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;
