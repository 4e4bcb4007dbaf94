import { z } from 'zod';
import type { ClassifyGraphql } from '../graphql-client.ts';
import { graphql } from '../graphql-document.ts';
import { SystemError } from '../system-error.ts';
import {
  connectDirector,
  type DirectorSettings,
  type FindRuntimes,
  type Tenant,
} from './director-connection.ts';

/** The labels of runtimes in Director, as the broker needs them: the console's URL is one that the runtime sets itself. */
export type DirectorLabelsClient = {
  readonly consoleUrl: (
    tenant: Tenant,
    runtimeId: string,
    signal: AbortSignal,
  ) => Promise<ConsoleUrl>;
  readonly setLabel: (
    tenant: Tenant,
    runtimeId: string,
    label: { readonly key: string; readonly value: string },
    signal: AbortSignal,
  ) => Promise<void>;
  readonly findRuntimes: FindRuntimes;
};

export type ConsoleUrl =
  | { readonly state: 'known'; readonly url: string }
  /** The runtime has not told it yet: look again later. */
  | { readonly state: 'awaited'; readonly because: string };

const consoleLabel = 'runtime_consoleUrl';
const Runtime = z.object({
  id: z.string(),
  labels: z.record(z.string(), z.unknown()).nullish(),
  status: z.object({ condition: z.string() }).nullish(), // a condition we do not know is none to fail for
});

export function directorLabelsClient(settings: DirectorSettings): DirectorLabelsClient {
  const { call, findRuntimes } = connectDirector(settings, classify);

  return {
    findRuntimes,
    async consoleUrl(tenant, runtimeId, signal) {
      const { labels, status } = await call({
        tenant,
        what: `get the console URL of runtime ${runtimeId}`,
        document: graphql`query { result: runtime(id: ${runtimeId}) { id labels(key: ${consoleLabel}) status { condition } } }`,
        result: Runtime,
        signal,
      });
      if (!status) return { state: 'awaited', because: 'Director knows no status of the runtime' };
      if (status.condition === 'FAILED')
        throw never(`the runtime ${runtimeId} failed`, 'runtime_failed');
      const url = labels?.[consoleLabel];
      if (url === undefined || url === null)
        return { state: 'awaited', because: 'the runtime has not told its console URL' };
      if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url))
        throw never(`the console URL of runtime ${runtimeId} is none`, 'wrong_console_url');
      return { state: 'known', url };
    },
    async setLabel(tenant, runtimeId, { key, value }, signal) {
      await call({
        tenant,
        what: `set label ${key} of runtime ${runtimeId}`,
        document: graphql`mutation { result: setRuntimeLabel(runtimeID: ${runtimeId}, key: ${key}, value: ${value}) { key value } }`,
        result: z.object({ key: z.string() }),
        signal,
      });
    },
  };
}

/** The cluster runs already when the broker asks, so no refusal of Director's is a reason to give it up. */
const classify: ClassifyGraphql = ({ error }) => ({
  temporary: true,
  reason: error ?? 'UnknownError',
  component: 'compass director',
});

const never = (why: string, reason: string) =>
  new SystemError('director', `director: ${why}`, { temporary: false, reason });
