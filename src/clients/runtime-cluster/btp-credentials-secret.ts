import { SystemError } from '../system-error.ts';
import { BtpCredentials, emptyKeys } from './btp-credentials.ts';
import { system } from './cluster-connection.ts';
import { dataOf, type Secrets, type WantedSecret } from './secrets.ts';

/** The Secret from which the BTP Manager learns how to reach the services of the subaccount. */
export type BtpCredentialsSecret = {
  /** What is in there now, a missing key as an empty text; undefined without the Secret. */
  readonly get: (signal: AbortSignal) => Promise<BtpCredentials | undefined>;
  /** Somebody has labelled the Secret as one that nobody shall reconcile. */
  readonly isLeftAlone: (signal: AbortSignal) => Promise<boolean>;
  /** Creates the Secret, or overwrites what is there, no matter who wrote it. Safe to repeat. */
  readonly ensure: (
    credentials: BtpCredentials,
    signal: AbortSignal,
  ) => Promise<'created' | 'overwritten'>;
};

const broker = 'kcp-kyma-environment-broker';
const secret = {
  namespace: 'kyma-system',
  name: 'sap-btp-manager',
  labels: { 'app.kubernetes.io/managed-by': broker, 'app.kubernetes.io/watched-by': broker },
  annotations: { Warning: 'This secret is generated. Do not edit!' },
} satisfies Partial<WantedSecret>;

export const btpCredentialsSecret = (secrets: Secrets): BtpCredentialsSecret => ({
  async get(signal) {
    const found = await secrets.find(secret, signal);
    if (!found) return undefined;
    const data = dataOf(found);
    const { clientid = '', clientsecret = '', sm_url = '', tokenurl = '', cluster_id = '' } = data;
    return new BtpCredentials({ clientid, clientsecret, sm_url, tokenurl, cluster_id });
  },

  async isLeftAlone(signal) {
    const found = await secrets.find(secret, signal);
    return found?.metadata.labels?.['kyma-project.io/skip-reconciliation'] === 'true';
  },

  async ensure(credentials, signal) {
    const empty = emptyKeys(credentials);
    if (empty.length > 0) {
      const why = `empty: ${empty.join(', ')}`;
      throw new SystemError(system, `${system}: cannot write the BTP credentials: ${why}`, {
        temporary: false,
        reason: 'invalid_credentials',
      });
    }
    const wanted = { ...secret, data: credentials.reveal() };
    const found = await secrets.find(secret, signal);
    if (!found && (await secrets.create(wanted, signal)) === 'created') return 'created';
    await secrets.overwrite(wanted, signal, found);
    return 'overwritten';
  },
});
