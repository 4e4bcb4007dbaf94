import { seconds } from '#time';
import type { Binding } from '../binding.ts';

/** What a platform gets of a binding that is ready. */
export function bindingBody({ credentials, expiresAt, parameters }: Binding) {
  if (!credentials || !expiresAt) throw new Error('there are no credentials to hand out');
  const { hostname, port } = new URL(credentials.server);
  // A quarter of its time is enough to make a successor, and to hand it on.
  const reserve = seconds(parameters.expiration_seconds) / 4;
  return {
    credentials: { kubeconfig: credentials.kubeconfig.reveal() },
    metadata: {
      expires_at: inTenths(expiresAt),
      renew_before: inTenths(new Date(expiresAt.getTime() - reserve)),
    },
    endpoints: [{ host: hostname, ports: [port || '443'] }],
  };
}

/** The specification's form has one digit after the second. */
export const inTenths = (date: Date): string => date.toISOString().replace(/\.(\d)\d\dZ$/, '.$1Z');
