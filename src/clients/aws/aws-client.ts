import type { SystemLimits } from '../system-limits.ts';
import { awsEc2, type AwsEc2 } from './aws-ec2.ts';
import type { AwsCredentials } from './signature-v4.ts';

/** AWS, for whoever's credentials the account pool has. */
export type AwsClient = {
  readonly ec2: (credentials: AwsCredentials) => AwsEc2;
};

/** The limits hold for each account by itself, as AWS's own do: trouble in one leaves the others alone. */
export type AwsSettings = SystemLimits & {
  /** `https://ec2.{region}.amazonaws.com`, unless told otherwise. */
  readonly ec2Url?: string;
  /** Asked which other regions an account may use; `eu-central-1`, unless told otherwise. */
  readonly homeRegion?: string;
};

/** Every request is signed by itself, so nothing is remembered of anybody. */
export const awsClient = ({
  ec2Url = 'https://ec2.{region}.amazonaws.com',
  homeRegion = 'eu-central-1',
  ...limits
}: AwsSettings = {}): AwsClient => ({
  ec2: (credentials) =>
    awsEc2(
      {
        ...limits,
        homeRegion,
        urlOf: (region) => `${ec2Url.replace(/\/+$/, '').replaceAll('{region}', region)}/`,
      },
      credentials,
    ),
});
