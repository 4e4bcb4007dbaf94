import { z } from 'zod';
import type { AwsCredentials } from '../aws/signature-v4.ts';
import type { AzureCredentials } from '../azure/azure-token.ts';
import type { Project } from './project.ts';

const base64 = z
  .string()
  .min(1)
  .transform((encoded) => Buffer.from(encoded, 'base64').toString());

const AzureSecret = z
  .object({
    data: z.object({
      subscriptionID: base64,
      tenantID: base64,
      clientID: base64,
      clientSecret: base64,
    }),
  })
  .transform(({ data }): AzureCredentials => ({
    subscriptionId: data.subscriptionID,
    tenantId: data.tenantID,
    clientId: data.clientID,
    clientSecret: data.clientSecret,
  }));
const AwsSecret = z
  .object({ data: z.object({ accessKeyID: base64, secretAccessKey: base64 }) })
  .transform(({ data }): AwsCredentials => ({
    accessKeyId: data.accessKeyID,
    secretAccessKey: data.secretAccessKey,
  }));

/** What opens an account at Azure, by the name of its Secret; undefined if there is no such Secret. */
export type AzureAccount = Opening<AzureCredentials>;
/** The same at AWS. */
export type AwsAccount = Opening<AwsCredentials>;

type Opening<Credentials> = (
  secretName: string,
  signal: AbortSignal,
) => Promise<Credentials | undefined>;

const opening =
  <Credentials>(answer: z.ZodType<Credentials>) =>
  (project: Project): Opening<Credentials> =>
  (secretName, signal) => {
    const namespace = encodeURIComponent(project.namespace);
    return project.find({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/secrets/${encodeURIComponent(secretName)}`,
      answer,
      what: `get the credentials of account ${secretName}`,
      signal,
    });
  };

export const azureAccount = opening(AzureSecret);
export const awsAccount = opening(AwsSecret);
