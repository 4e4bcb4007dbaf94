import { Secret } from '#database';
import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { refusalsWaitedOut } from './lms-refusals.ts';
import type { RequestedCertificate } from './request-lms-certificates.ts';

export type SignedCertificates = {
  /** JSON of LmsCertificates. */
  readonly lmsCertificates?: Secret;
};
/** PEM. */
export type LmsCertificates = { readonly certificate: string; readonly ca: string };

export const awaitLmsCertificates = ({
  clients: { lms },
  settings,
}: Services): Step<
  { lmsTenantId?: string } & RequestedCertificate & SignedCertificates,
  SignedCertificates
> => ({
  name: 'Await_LMS_Certificates',
  about: 'Waits until the certificate is signed, and gets it with that of its authority.',
  domain: 'LMS',
  owner: 'Team Gopher',
  needs: ['lmsTenantId', 'lmsCertificateUrl'],
  gives: ['lmsCertificates'],
  retry: {
    every: seconds(15),
    upTo: seconds(15),
    within: minutes(10),
    otherwise: settings.older?.lms?.isMandatory ? 'fail' : 'go on',
  },
  async run({ facts: { lmsTenantId: id, lmsCertificateUrl: url, lmsCertificates }, signal }) {
    if (!lms || id === undefined || url === undefined) return skip('no certificate was asked for');
    if (lmsCertificates) return done();
    return refusalsWaitedOut(seconds(15), async () => {
      const certificate = await lms.certificate(url, signal);
      if (certificate === undefined)
        return wait(seconds(15), 'the certificate is not signed yet', 'lms');
      const ca = await lms.caCertificate(id, signal);
      if (ca === undefined)
        return wait(seconds(15), 'the authority has no certificate of its own yet', 'lms');
      const both: LmsCertificates = { certificate, ca };
      return done({ lmsCertificates: new Secret(JSON.stringify(both)) });
    });
  },
});
