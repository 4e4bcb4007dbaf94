import { z } from 'zod';
import { goneMeanwhile, type ClusterConnection } from './cluster-connection.ts';

export type WantedSecret = {
  readonly namespace: string;
  readonly name: string;
  /** As it is, not yet in Base64. */
  readonly data: Readonly<Record<string, string>>;
  /** Without these, those of a Secret that is there stay. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type Secrets = {
  readonly find: (
    place: Pick<WantedSecret, 'namespace' | 'name'>,
    signal: AbortSignal,
  ) => Promise<FoundSecret | undefined>;
  /** Together with its namespace. */
  readonly create: (secret: WantedSecret, signal: AbortSignal) => Promise<'created' | 'exists'>;
  /** Whoever created it, and whatever else was in its data. It is read again unless it was just found. */
  readonly overwrite: (
    secret: WantedSecret,
    signal: AbortSignal,
    found?: FoundSecret,
  ) => Promise<void>;
};

/** As the API server gave it: not for logs. */
export type FoundSecret = z.infer<typeof Secret>;
const Secret = z.looseObject({
  metadata: z.looseObject({
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  data: z.record(z.string(), z.base64()).nullish(),
});

export function secretsOf(cluster: ClusterConnection): Secrets {
  const find: Secrets['find'] = ({ namespace, name }, signal) =>
    cluster.find({
      method: 'GET',
      path: pathOf(namespace, name),
      answer: Secret,
      what: `get secret ${name}`,
      signal,
    });

  return {
    find,

    async create({ namespace, name, data, labels, annotations }, signal) {
      await cluster.ensureNamespace(namespace, signal);
      return cluster.create({
        path: pathOf(namespace),
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, labels, annotations },
          type: 'Opaque',
          data: mapped(data, toBase64),
        },
        what: `create secret ${name}`,
        signal,
      });
    },

    /** A PUT with the version that was read: if somebody else changed it since, this is a conflict. */
    async overwrite({ namespace, name, data, labels, annotations }, signal, found) {
      const what = `overwrite secret ${name}`;
      const live = found ?? (await find({ namespace, name }, signal));
      if (!live) throw goneMeanwhile(what);
      const metadata = {
        ...live.metadata,
        ...(labels && { labels }),
        ...(annotations && { annotations }),
      };
      const written = await cluster.find({
        method: 'PUT',
        path: pathOf(namespace, name),
        // Its type stays: the API server lets nobody change it.
        body: { ...live, metadata, data: mapped(data, toBase64) },
        answer: Secret,
        what,
        signal,
      });
      if (!written) throw goneMeanwhile(what);
    },
  };
}

/** Decoded. */
export const dataOf = ({ data }: FoundSecret): Readonly<Record<string, string>> =>
  mapped(data ?? {}, (value) => Buffer.from(value, 'base64').toString());

const pathOf = (namespace: string, name?: string) => {
  const all = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  return name === undefined ? all : `${all}/${encodeURIComponent(name)}`;
};

const toBase64 = (value: string) => Buffer.from(value).toString('base64');

const mapped = (data: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value)]));
