import { readFile } from 'node:fs/promises';
import type { FrontDoor } from '#access';

type ServerConfig = {
  readonly TLS_CERT_PATH?: string | undefined;
  readonly TLS_KEY_PATH?: string | undefined;
  readonly RATE_LIMIT_PER_ADDRESS: number;
  readonly RATE_LIMIT_PER_CALLER: number;
  readonly TRUSTED_PROXIES: readonly string[];
};

/** How the service meets the network, as the settings say. */
export async function frontDoorOf(config: ServerConfig, shutdown: AbortSignal): Promise<FrontDoor> {
  const { TLS_CERT_PATH: certificate, TLS_KEY_PATH: key } = config;
  return {
    ...(certificate !== undefined &&
      key !== undefined && {
        tls: { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') },
      }),
    rates: { perAddress: config.RATE_LIMIT_PER_ADDRESS, perCaller: config.RATE_LIMIT_PER_CALLER },
    trustedProxies: config.TRUSTED_PROXIES,
    shutdown,
  };
}
