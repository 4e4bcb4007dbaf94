import { days, hours } from '#time';
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

/** The same for those who look closer: with the end of a trial in it. */
export function detailedMetadataOf(
  api: ApiSettings,
  instance: Instance,
  now: Date,
  how: { readonly isSuspended?: boolean } = {},
) {
  const { labels } = metadataOf(api, instance, how);
  if (!showsExpiration(api, instance)) return { labels };
  if (instance.expiredAt) {
    const { KubeconfigURL: _, ...others } = labels;
    return {
      labels: {
        ...others,
        'Trial expiration details': 'Your cluster has expired. It cannot be used any more.',
        'Trial documentation': api.trialExpiration.docsUrl,
      },
    };
  }
  return { labels: { ...labels, 'Trial expiration details': expiration(instance.createdAt, now) } };
}

type LabeledInstance = Pick<Instance, 'id' | 'planName' | 'parameters'>;

const hasKubeconfigUrl = (api: ApiSettings, { planName }: LabeledInstance) =>
  api.kubeconfigUrlLabel && planName !== 'own_cluster';

const kubeconfigUrl = ({ publicUrl }: ApiSettings, id: string) =>
  `https://${publicUrl.replace(/^https?:\/\//, '').replace(/\/+$/, '')}/kubeconfig/${encodeURIComponent(id)}`;

function showsExpiration({ trialExpiration }: ApiSettings, { planName, subaccount }: Instance) {
  const { subaccounts } = trialExpiration;
  return planName === 'trial' && (subaccounts === 'all' || subaccounts.includes(subaccount));
}

const trialLasts = days(14);

/** Rounded to hours and then to days, as platforms have always shown it. */
function expiration(createdAt: Date, now: Date): string {
  const left = Math.max(0, createdAt.getTime() + trialLasts - now.getTime());
  const leftInDays = Math.round(Math.round(left / hours(1)) / 24);
  const when = leftInDays === 0 ? 'today' : leftInDays === 1 ? 'tomorrow' : `in ${leftInDays} days`;
  return `Your cluster expires ${when}.`;
}
