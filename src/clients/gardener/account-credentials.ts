import { z } from 'zod';
import type { AzureCredentials } from '../azure/azure-token.ts';
import type { Project } from './project.ts';

const base64 = z
  .string()
  .min(1)
  .transform((encoded) => Buffer.from(encoded, 'base64').toString());

const AzureSecret = z.object({
  data: z.object({
    subscriptionID: base64,
    tenantID: base64,
    clientID: base64,
    clientSecret: base64,
  }),
});

/** What opens an account at Azure, by the name of its Secret; undefined if there is no such Secret. */
export type AzureAccount = (
  secretName: string,
  signal: AbortSignal,
) => Promise<AzureCredentials | undefined>;

export const azureAccount =
  (project: Project): AzureAccount =>
  async (secretName, signal) => {
    const namespace = encodeURIComponent(project.namespace);
    const found = await project.find({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/secrets/${encodeURIComponent(secretName)}`,
      answer: AzureSecret,
      what: `get the credentials of account ${secretName}`,
      signal,
    });
    if (!found) return undefined;
    const { subscriptionID, tenantID, clientID, clientSecret } = found.data;
    return {
      subscriptionId: subscriptionID,
      tenantId: tenantID,
      clientId: clientID,
      clientSecret,
    };
  };
