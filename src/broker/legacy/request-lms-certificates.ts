import { certificateRequest } from '#clients';
import { Secret } from '#database';
import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { refusalsWaitedOut } from './lms-refusals.ts';

/** What was asked for, and the key that the certificate will be for. */
export type RequestedCertificate = {
  readonly lmsDns?: string;
  readonly lmsCertificateUrl?: string;
  /** PEM. Sealed with the operation: whoever kept it in memory would lose it while LMS signs. */
  readonly lmsKey?: Secret;
};

/** A repetition asks with another key: the certificate that nobody fetches does no harm. */
export const requestLmsCertificates = (
  services: Services,
): Step<{ lmsTenantId?: string } & RequestedCertificate, RequestedCertificate> => ({
  name: 'Request_LMS_Certificates',
  about: 'Waits until the logging tenant can be reached, and asks it for a certificate.',
  domain: 'LMS',
  owner: 'Team Gopher',
  needs: ['lmsTenantId'],
  gives: ['lmsDns', 'lmsCertificateUrl', 'lmsKey'],
  retry: {
    every: seconds(5),
    upTo: minutes(5),
    within: minutes(30),
    otherwise: services.settings.older?.lms?.isMandatory ? 'fail' : 'go on',
  },
  async run({ operation, facts: { lmsTenantId: id, lmsCertificateUrl }, signal }) {
    const { lms } = services.clients;
    if (!lms || id === undefined) return skip('there is no logging tenant');
    if (lmsCertificateUrl !== undefined) return done();
    return refusalsWaitedOut(seconds(5), async () => {
      const { ready, kibanaState } = await lms.tenantStatus(id, signal);
      if (!ready) {
        const state = kibanaState || 'not known';
        return wait(seconds(30), `the logging tenant cannot be reached yet: it is ${state}`, 'lms');
      }
      const { globalAccount } = await theInstance(services, { operation });
      const lmsDns = await lms.tenantDns(id, signal);
      const { csr, privateKey } = await certificateRequest(globalAccount);
      const url = await lms.requestCertificate(id, csr, signal);
      const pem = privateKey.export({ type: 'pkcs1', format: 'pem' });
      return done({ lmsDns, lmsCertificateUrl: url, lmsKey: new Secret(pem) });
    });
  },
});
