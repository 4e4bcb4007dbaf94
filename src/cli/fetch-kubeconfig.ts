import { Problem } from './problem.ts';
import { ask, patience } from './service/http.ts';
import type { Work } from './work.ts';

/** From the broker, or from where the settings say that kubeconfigs are. They hold no secret, so no token is sent. */
export async function fetchKubeconfig(work: Work, instanceId: string): Promise<string> {
  const { settings, surroundings, trace } = work;
  const base = settings.get('kubeconfig-api-url') ?? settings.require('keb-api-url')['keb-api-url'];
  const url = `${base}/kubeconfig/${encodeURIComponent(instanceId)}`;
  const { signal } = surroundings;
  const response = await ask({ method: 'GET', url, signal, trace, within: patience });
  const text = await response.text();
  if (response.ok) return text;
  const [, why = ''] = /"[Ee]rror"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  const ending = response.status === 404 ? 'notFound' : 'error';
  throw new Problem(
    ending,
    `GET ${url}: ${[String(response.status), why].filter(Boolean).join('; ')}`,
  );
}
