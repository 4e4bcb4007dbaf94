import { bulkhead } from 'cockatiel';
import { z } from 'zod';
import { SystemError } from '../system-error.ts';
import { gardenerApi, type Project } from './project.ts';

/** Accounts at hyperscalers, bought in advance. A tenant keeps its own until its last runtime is gone. */
export type AccountPool = {
  /** The name of the secret that opens the tenant's account, if it has one. */
  readonly findOwn: (owner: AccountOwner, signal: AbortSignal) => Promise<string | undefined>;
  /** The tenant's account: the one it has, or else a free one, from now on its own. */
  readonly claim: (owner: AccountOwner, signal: AbortSignal) => Promise<string>;
  /** Of the accounts that many tenants use, the one with the fewest shoots. */
  readonly leastUsedShared: (hyperscalerType: string, signal: AbortSignal) => Promise<string>;
  /** Gives the account away for cleaning, unless something speaks against it. Safe to repeat. */
  readonly release: (owner: AccountOwner, signal: AbortSignal) => Promise<ReleaseOutcome>;
  /** Those that wait for cleaning, and that no shoot uses. */
  readonly released: (signal: AbortSignal) => Promise<ReleasedAccount[]>;
  /** It is clean: from now on others may claim it. Safe to repeat, also if somebody has claimed it since. */
  readonly giveBack: (name: string, signal: AbortSignal) => Promise<void>;
  /** All that belong to a hyperscaler, whatever is done with them. */
  readonly list: (signal: AbortSignal) => Promise<PooledAccount[]>;
};

export type PooledAccount = {
  readonly hyperscalerType: string;
  /** Whose it is. One that waits for cleaning is still its last tenant's. */
  readonly tenantName: string | undefined;
  readonly isShared: boolean;
  readonly isDirty: boolean;
};

export type ReleasedAccount = {
  readonly name: string;
  readonly secretName: string;
  readonly hyperscalerType: string;
};

export type AccountOwner = {
  /** The global account. */
  readonly tenantName: string;
  readonly hyperscalerType: string;
  readonly euAccess: boolean;
};

export type ReleaseOutcome = 'released' | 'internal' | 'released before' | 'no account' | 'in use';

/** No account is left for a claim, or none is shared: match on this reason. Temporary, as operators fill the pool. */
export const noAccountLeft = 'err_no_account_left';

const SecretBinding = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  secretRef: z.looseObject({ name: z.string().min(1) }),
});
type SecretBinding = z.infer<typeof SecretBinding>;

export function accountPool(project: Project): AccountPool {
  // Claims of one process wait for each other: all would take the same account, and all but one meet a conflict.
  const oneAtATime = bulkhead(1, Infinity);

  const list = (labelSelector: string, signal: AbortSignal) =>
    project.list({
      path: project.pathOf('secretbindings'),
      labelSelector,
      item: SecretBinding,
      what: 'list secret bindings',
      signal,
    });

  /** A PUT with the version that was read: if somebody else changed it since, this is a conflict. */
  const put = (binding: SecretBinding, what: string, signal: AbortSignal) => {
    const { name } = binding.metadata;
    return project.request({
      method: 'PUT',
      path: project.pathOf('secretbindings', name),
      body: { ...binding, apiVersion: gardenerApi, kind: 'SecretBinding' },
      what: `${what} secret binding ${name}`,
      signal,
    });
  };

  const label = (
    { metadata, ...binding }: SecretBinding,
    labels: Record<string, string>,
    what: string,
    signal: AbortSignal,
  ) =>
    put(
      { ...binding, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } },
      what,
      signal,
    );

  /**
   * Own and free accounts come from one list. So of two claims for one tenant the second finds what the first took, or
   * meets a conflict: it does not take another one.
   */
  async function claim(owner: AccountOwner, signal: AbortSignal): Promise<string> {
    const { tenantName, hyperscalerType } = owner;
    const all = await list(`!dirty, hyperscalerType=${hyperscalerType}, ${eu(owner)}`, signal);
    const own = all.find(({ metadata }) => metadata.labels['tenantName'] === tenantName);
    if (own) return own.secretRef.name;
    const free = all.find(
      ({ metadata: { labels } }) =>
        labels['shared'] !== 'true' && labels['tenantName'] === undefined,
    );
    if (!free) throw noneLeft(`no ${hyperscalerType} account is free`);
    await label(free, { tenantName }, 'claim', signal);
    return free.secretRef.name;
  }

  return {
    async findOwn(owner, signal) {
      const [own] = await list(`${ownedBy(owner)}, !dirty, ${eu(owner)}`, signal);
      return own?.secretRef.name;
    },

    async claim(owner, signal) {
      try {
        return await oneAtATime.execute(() => claim(owner, signal), signal);
      } catch (error) {
        signal.throwIfAborted(); // the queue would tell no reason
        throw error;
      }
    },

    async leastUsedShared(hyperscalerType, signal) {
      const shared = await list(`shared=true,hyperscalerType=${hyperscalerType}`, signal);
      const shoots = shared.length > 1 ? await project.listShoots('', signal) : [];
      const uses = Map.groupBy(shoots, ({ spec }) => spec.secretBindingName);
      const usesOf = ({ metadata }: SecretBinding) => uses.get(metadata.name)?.length ?? 0;
      const [least] = shared.toSorted((a, b) => usesOf(a) - usesOf(b));
      if (!least) throw noneLeft(`no ${hyperscalerType} account is shared`);
      return least.secretRef.name;
    },

    async release(owner, signal) {
      const owned = await list(`${ownedBy(owner)}, ${eu(owner)}`, signal);
      const labelled = (key: string) =>
        owned.filter(({ metadata }) => metadata.labels[key] === 'true');
      if (labelled('internal').length > 0) return 'internal';
      const own = owned.filter(({ metadata }) => metadata.labels['shared'] !== 'true');
      const [binding] = own;
      if (!binding) return 'no account';
      if (labelled('dirty').some((each) => own.includes(each))) return 'released before';
      const shoots = await project.listShoots('', signal);
      if (shoots.some(({ spec }) => spec.secretBindingName === binding.metadata.name))
        return 'in use';
      await label(binding, { dirty: 'true' }, 'release', signal);
      return 'released';
    },

    async released(signal) {
      const dirty = await list('dirty=true', signal);
      const shoots = dirty.length > 0 ? await project.listShoots('', signal) : [];
      const used = new Set(shoots.map(({ spec }) => spec.secretBindingName));
      return dirty
        .filter(({ metadata }) => !used.has(metadata.name))
        .map(({ metadata, secretRef }) => ({
          name: metadata.name,
          secretName: secretRef.name,
          hyperscalerType: metadata.labels['hyperscalerType'] ?? '',
        }));
    },

    async giveBack(name, signal) {
      const [binding] = (await list('dirty=true', signal)).filter(
        ({ metadata }) => metadata.name === name,
      );
      if (!binding) return;
      const { dirty: _, tenantName: __, ...labels } = binding.metadata.labels;
      await put({ ...binding, metadata: { ...binding.metadata, labels } }, 'give back', signal);
    },

    async list(signal) {
      const all = await list('hyperscalerType', signal);
      return all.map(({ metadata: { labels } }) => ({
        hyperscalerType: labels['hyperscalerType'] ?? '',
        tenantName: labels['tenantName'],
        isShared: labels['shared'] === 'true',
        isDirty: labels['dirty'] === 'true',
      }));
    },
  };
}

const ownedBy = ({ tenantName, hyperscalerType }: AccountOwner) =>
  `tenantName=${tenantName}, hyperscalerType=${hyperscalerType}`;
const eu = ({ euAccess }: AccountOwner) => (euAccess ? 'euAccess=true' : '!euAccess');

const noneLeft = (why: string) =>
  new SystemError('gardener', `gardener: cannot get an account: ${why}`, {
    temporary: true,
    reason: noAccountLeft,
  });
