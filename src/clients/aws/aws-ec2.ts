import { z } from 'zod';
import { httpClient, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { classify, volumeNotFound } from './aws-error.ts';
import { readXml } from './read-xml.ts';
import { queryOf, signatureHeaders, type AwsCredentials } from './signature-v4.ts';

/** One account's volumes. Each region has its own, and knows nothing of the others'. */
export type AwsEc2 = {
  /** Those that the account may use. */
  readonly regions: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly volumes: (region: string, signal: AbortSignal) => Promise<readonly AwsVolume[]>;
  /** Begins it. Whether it is gone, `volumes` tells; one that was gone before counts as deleted. */
  readonly deleteVolume: (region: string, id: string, signal: AbortSignal) => Promise<void>;
};

/** `state` is AWS's: 'available', 'in-use', 'deleting', or something that nobody here knows. */
export type AwsVolume = { readonly id: string; readonly state: string };

/** An empty list looks like an empty text. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((content) => (content === '' ? [] : content), z.array(item));

/** It becomes part of an address, so it is looked at first. */
const Region = z
  .object({ regionName: z.string().regex(/^[a-z\d-]+$/) })
  .transform(({ regionName }) => regionName);
const Volume = z
  .object({ volumeId: z.string().min(1), status: z.string().min(1) })
  .transform(({ volumeId, status }): AwsVolume => ({ id: volumeId, state: status }));

const Regions = z.object({
  // Every account has some: without any, it would look empty.
  DescribeRegionsResponse: z.object({ regionInfo: z.array(Region).min(1) }),
});
const Volumes = z.object({
  DescribeVolumesResponse: z.object({
    volumeSet: listOf(Volume),
    nextToken: z.string().optional(),
  }),
});
const Deletion = z.object({ DeleteVolumeResponse: z.object({ return: z.literal('true') }) });

const version = '2016-11-15';
const pageSize = '500';
const format = { name: 'XML', read: readXml };

export function awsEc2(
  { urlOf, homeRegion, ...limits }: AwsPlaces & Omit<SystemSettings, 'url'>,
  credentials: AwsCredentials,
): AwsEc2 {
  const http = httpClient('aws', { ...limits, url: urlOf(homeRegion) });

  async function ask<Answer>(
    region: string,
    parameters: Readonly<Record<string, string>>,
    answer: z.ZodType<Answer>,
    what: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const url = new URL(urlOf(region));
    url.search = queryOf(Object.entries({ ...parameters, Version: version }));
    const place = { region, service: 'ec2' };
    const { body } = await http.request({
      method: 'GET',
      path: url.href,
      headers: { accept: 'text/xml', ...signatureHeaders(url, credentials, place, new Date()) },
      expect: [200],
      format,
      answer,
      classify,
      what,
      signal,
    });
    return body;
  }

  return {
    async regions(signal) {
      const asked = { Action: 'DescribeRegions' };
      const found = await ask(homeRegion, asked, Regions, 'list regions', signal);
      return found.DescribeRegionsResponse.regionInfo;
    },
    async volumes(region, signal) {
      const volumes: AwsVolume[] = [];
      for (let next: string | undefined = ''; next !== undefined;) {
        const asked = {
          Action: 'DescribeVolumes',
          MaxResults: pageSize,
          ...(next !== '' && { NextToken: next }),
        };
        const what = `list volumes in ${region}`;
        const page: z.infer<typeof Volumes> = await ask(region, asked, Volumes, what, signal);
        volumes.push(...page.DescribeVolumesResponse.volumeSet);
        next = page.DescribeVolumesResponse.nextToken || undefined;
      }
      return volumes;
    },
    async deleteVolume(region, id, signal) {
      const asked = { Action: 'DeleteVolume', VolumeId: id };
      try {
        await ask(region, asked, Deletion, `delete volume ${id} in ${region}`, signal);
      } catch (error) {
        if (!(error instanceof SystemError) || error.reason !== volumeNotFound) throw error;
      }
    },
  };
}

/** Where EC2 is. */
export type AwsPlaces = {
  readonly urlOf: (region: string) => string;
  /** Where the account is asked for its other regions. */
  readonly homeRegion: string;
};
