import { done, skip, type Step } from '#engine';
import type { OverrideEntry } from '../overrides.ts';
import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import type { LmsCertificates, SignedCertificates } from './await-lms-certificates.ts';
import type { RequestedCertificate } from './request-lms-certificates.ts';

/** Calls nobody: what LMS has given is on record. */
export const lmsOverrides = (
  services: Services,
): Step<RequestedCertificate & SignedCertificates> => ({
  name: 'LMS_Overrides',
  about: 'Has the runtime send its logs to the tenant of the account.',
  domain: 'LMS',
  owner: 'Team Gopher',
  needs: ['lmsDns', 'lmsKey', 'lmsCertificates'],
  async run({ operation, facts: { lmsDns, lmsKey, lmsCertificates }, memory }) {
    if (lmsDns === undefined || !lmsKey || !lmsCertificates)
      return skip('LMS has given no certificate');
    const instance = await theInstance(services, { operation });
    const { certificate, ca } = JSON.parse(lmsCertificates.reveal()) as LmsCertificates; // as the step before has sealed it
    const target = {
      host: `forward.${lmsDns}`,
      port: '8443',
      'tls.enabled': 'true',
      'tls.verify': 'On',
      'tls.ca': base64(ca),
      'tls.cert': base64(certificate),
    };
    const key: OverrideEntry = { key: 'tls.key', value: base64(lmsKey.reveal()), secret: true };
    theOverrides(memory, instance).appendOverrides('logging', [
      ...below('fluent-bit.conf.Output.forward', { enabled: 'true', Match: 'kube.*' }),
      ...below('fluent-bit.backend.forward', target),
      { ...key, key: `fluent-bit.backend.forward.${key.key}` },
      // As the charts of later versions call the same.
      ...below('fluent-bit.config.outputs.forward', {
        enabled: 'true',
        match: 'kube.*',
        ...target,
      }),
      { ...key, key: `fluent-bit.config.outputs.forward.${key.key}` },
      ...below('fluent-bit.conf.Filter.record_modifier', {
        enabled: 'true',
        Match: 'kube.*',
        Key: 'subaccount_id',
        Value: instance.subaccount,
      }),
      // The tenant shall not index what is in a line; and what Dex writes about logins stays in the cluster.
      { key: 'fluent-bit.conf.Filter.Kubernetes.Merge_Log', value: 'Off' },
      {
        key: 'fluent-bit.conf.Input.Kubernetes.Exclude_Path',
        value: '/var/log/containers/*_dex-*.log',
      },
    ]);
    return done();
  },
});

const below = (path: string, values: Readonly<Record<string, string>>): OverrideEntry[] =>
  Object.entries(values).map(([key, value]) => ({ key: `${path}.${key}`, value }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
