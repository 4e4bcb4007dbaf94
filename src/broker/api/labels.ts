import { hours } from '#time';
import type { Instance } from '../instance.ts';
import type { ApiSettings } from './settings.ts';

/** What people see of an instance in their platform. Each answer has all of it: platforms replace what they had. */
export const metadataOf = (
  api: ApiSettings,
  instance: LabeledInstance,
  { isSuspended = false } = {},
) => ({
  labels: {
    Name: instance.parameters.name,
    ...(isSuspended && { Status: 'suspended' }),
    // Without a runtime there is none.
    ...(!isSuspended &&
      hasKubeconfigUrl(api, instance) && { KubeconfigURL: kubeconfigUrl(api, instance.id) }),
  },
});

/** The same for those who look closer: with the end of its time in it. */
export function detailedMetadataOf(
  api: ApiSettings,
  instance: Instance,
  now: Date,
  how: { readonly isSuspended?: boolean } = {},
): { readonly labels: Readonly<Record<string, string>> } {
  const { labels } = metadataOf(api, instance, how);
  const notice = noticeOf(api, instance);
  if (!notice?.isShown) return { labels };
  if (instance.expiredAt) {
    const { KubeconfigURL: _, ...others } = labels;
    return {
      labels: {
        ...others,
        [notice.details]: 'Your cluster has expired. It cannot be used any more.',
        [notice.documentation]: notice.docsUrl,
      },
    };
  }
  const end = new Date(instance.createdAt.getTime() + notice.period);
  return { labels: { ...labels, [notice.details]: expiration(end, now) } };
}

type LabeledInstance = Pick<Instance, 'id' | 'planName' | 'parameters'>;

const hasKubeconfigUrl = (api: ApiSettings, { planName }: LabeledInstance) =>
  api.kubeconfigUrlLabel && planName !== 'own_cluster';

const kubeconfigUrl = ({ publicUrl }: ApiSettings, id: string) =>
  `https://${publicUrl.replace(/^https?:\/\//, '').replace(/\/+$/, '')}/kubeconfig/${encodeURIComponent(id)}`;

/** How the labels of each plan are called; others do not expire. */
const names: Readonly<
  Record<string, { readonly details: string; readonly documentation: string } | undefined>
> = {
  trial: { details: 'Trial expiration details', documentation: 'Trial documentation' },
  free: {
    details: 'Free plan expiration details',
    documentation: 'Available plans documentation',
  },
};

function noticeOf(
  { trialExpiration, freeExpiration }: ApiSettings,
  { planName, subaccount }: Instance,
) {
  const name = names[planName];
  if (!name) return undefined;
  const notice = planName === 'trial' ? trialExpiration : freeExpiration;
  const { subaccounts } = notice;
  return { ...notice, ...name, isShown: subaccounts === 'all' || subaccounts.includes(subaccount) };
}

/** Rounded to hours and then to days, as platforms have always shown it. */
function expiration(end: Date, now: Date): string {
  const left = Math.max(0, end.getTime() - now.getTime());
  const leftInDays = Math.round(Math.round(left / hours(1)) / 24);
  const when = leftInDays === 0 ? 'today' : leftInDays === 1 ? 'tomorrow' : `in ${leftInDays} days`;
  return `Your cluster expires ${when}.`;
}
