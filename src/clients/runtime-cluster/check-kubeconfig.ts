import { parse as parseYaml } from 'yaml';
import { z } from 'zod';

const text = z.string('is not a text').min(1, 'is empty').optional();
const refused = (why: string) => z.never(`is not allowed: ${why}`).optional();
const aFile = refused('it names a file, give its content instead');
const aCommand = refused('it runs a command');
const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, 'is not an object with fields');
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, 'is not a list')
    .nullish()
    .transform((items) => items ?? []);

/** The connection runs no command and reads no file for anybody: whoever brings such a kubeconfig is told here. */
const Content = object({
  'current-context': text,
  clusters: list(
    object({
      cluster: object({
        server: text,
        'certificate-authority-data': text,
        'certificate-authority': aFile,
        'proxy-url': refused('clusters are reached directly'),
      }),
    }),
  ),
  users: list(
    object({
      user: object({
        exec: aCommand,
        'auth-provider': aCommand,
        tokenFile: aFile,
        'token-file': aFile,
        'client-certificate': aFile,
        'client-key': aFile,
      }),
    }),
  ),
});

/**
 * What is missing in a kubeconfig, or wrong with it, one complaint for each field. A good one has none. Values are never
 * named: they are credentials.
 */
export function checkKubeconfig(kubeconfig: string): readonly string[] {
  const result = Content.safeParse(yamlOf(kubeconfig));
  if (!result.success) {
    return result.error.issues.map(
      ({ path, message }) => `${path.map(String).join('.') || 'the kubeconfig'} ${message}`,
    );
  }
  const { clusters, 'current-context': current } = result.data;
  return [
    ...(current === undefined ? ['current-context is missing'] : []),
    ...(clusters.length === 0 ? ['clusters is missing or empty'] : missingIn(clusters)),
  ];
}

/** One cluster that has all is enough. */
function missingIn(clusters: z.infer<typeof Content>['clusters']): string[] {
  const missing = clusters.map(({ cluster }, index) =>
    (['server', 'certificate-authority-data'] as const)
      .filter((field) => cluster[field] === undefined)
      .map((field) => `clusters.${index}.cluster.${field} is missing`),
  );
  return missing.some((each) => each.length === 0) ? [] : missing.flat();
}

/** Undefined if it is none. The parser's own errors and warnings quote the text, and that holds credentials. */
function yamlOf(kubeconfig: string): unknown {
  try {
    return parseYaml(kubeconfig, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}
