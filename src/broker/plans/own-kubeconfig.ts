import { parse } from 'yaml';
import { z } from 'zod';
import { Secret } from '#database';
import { InvalidParameters } from './invalid-parameters.ts';

/** The kubeconfig that a customer sent in Base64, if we can and may use it. Errors never quote from it. */
export function decodeKubeconfig(encoded: Secret): Secret {
  const base64 = encoded.reveal().replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) {
    throw new InvalidParameters('while decoding kubeconfig: it must be Base64');
  }
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const problem = problemWith(text);
  if (problem) throw new InvalidParameters(`while validating kubeconfig: ${problem}`);
  return new Secret(text);
}

function problemWith(text: string): string | undefined {
  const read = Kubeconfig.safeParse(parsedYaml(text));
  if (!read.success) {
    const path = read.error.issues[0]?.path.join('.') || 'the content';
    return `${path} is missing or cannot be used`;
  }
  const config = read.data;
  const current = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  if (!current) return 'current-context must be the name of one of the contexts';
  if (!config.users.some(({ name }) => name === current.user)) {
    return 'the user of the current context must be one of the users';
  }
  const cluster = config.clusters.find(({ name }) => name === current.cluster)?.cluster;
  if (!cluster) return 'the cluster of the current context must be one of the clusters';
  const scheme = URL.parse(cluster.server)?.protocol;
  if (scheme !== 'https:' && !(scheme === 'http:' && cluster['insecure-skip-tls-verify'])) {
    return 'the server of the current cluster must be an https URL';
  }
  return undefined;
}

/** The parser's own errors and warnings are dropped: they quote the text, and that holds credentials. */
function parsedYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

const refused = z.never().exactOptional();
const entries = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).min(1);

/** We run no command of a customer's, read no file of ours for them, and let nobody stand between. */
const Kubeconfig = z.looseObject({
  'current-context': z.string(),
  contexts: entries(
    z.looseObject({
      name: z.string(),
      context: z.looseObject({ cluster: z.string(), user: z.string() }),
    }),
  ),
  clusters: entries(
    z.looseObject({
      name: z.string(),
      cluster: z.looseObject({
        server: z.string(),
        'insecure-skip-tls-verify': z.boolean().exactOptional(),
        'certificate-authority': refused,
        'proxy-url': refused,
      }),
    }),
  ),
  users: entries(
    z.looseObject({
      name: z.string(),
      user: z.looseObject({
        exec: refused,
        'auth-provider': refused,
        'token-file': refused,
        tokenFile: refused,
        'client-certificate': refused,
        'client-key': refused,
      }),
    }),
  ),
});
