import { parse } from 'yaml';
import { z } from 'zod';
import { KymaTemplate } from '../lifecycle-manager/kyma-resource.ts';
import { configAmbiguous, configError, configNotFound, parsedEntry } from './config-error.ts';
import type { ConfigMap, ConfigurationObjects, PlanAtVersion } from './configuration-objects.ts';

/** What is installed in the runtimes of one plan at one version of Kyma. */
export type BrokerConfig = {
  readonly additionalComponents: readonly AdditionalComponent[];
  readonly kymaTemplate?: KymaTemplate | undefined;
};

/** In the words of the Reconciler. */
export type AdditionalComponent = {
  readonly component: string;
  readonly namespace: string;
  readonly url?: string;
};

const readYaml = (text: string): unknown => parse(text, { prettyErrors: false, logLevel: 'error' });

/** Operators write it as a text or as a part of the document. */
const Template = z
  .unknown()
  .transform((given, context) => {
    if (typeof given !== 'string') return given;
    try {
      return readYaml(given);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: 'custom', message: `cannot be read: ${why}`, input: given });
      return z.NEVER;
    }
  })
  .pipe(KymaTemplate);

const Entry = z
  .looseObject({
    'additional-components': z.array(
      z
        .looseObject({
          name: z.string().min(1),
          namespace: z.string().min(1),
          source: z.looseObject({ url: z.string() }).optional(),
        })
        .transform(({ name, namespace, source }) => ({
          component: name,
          namespace,
          ...(source && { url: source.url }),
        })),
    ),
    'kyma-template': Template.optional(),
  })
  .transform((entry): BrokerConfig => ({
    additionalComponents: entry['additional-components'],
    kymaTemplate: entry['kyma-template'],
  }));

export async function brokerConfig(
  objects: ConfigurationObjects,
  { kymaVersion, planName }: PlanAtVersion,
  defaultKymaVersion: string,
  signal: AbortSignal,
): Promise<BrokerConfig> {
  const found =
    (await onlyOneFor(objects, kymaVersion, signal)) ??
    (isCustomVersion(kymaVersion)
      ? await onlyOneFor(objects, defaultKymaVersion, signal)
      : undefined);
  if (!found) throw configError(configNotFound, `no ConfigMap configures Kyma ${kymaVersion}`);
  const { metadata, data } = found;
  const key = data[planName] === undefined ? 'default' : planName;
  const text = data[key];
  if (text === undefined)
    throw configError(
      configNotFound,
      `ConfigMap ${metadata.name} has neither a key ${planName} nor a key default`,
    );
  return parsedEntry({ configMap: metadata.name, key }, () => readYaml(text), Entry);
}

async function onlyOneFor(
  objects: ConfigurationObjects,
  version: string,
  signal: AbortSignal,
): Promise<ConfigMap | undefined> {
  const found = await objects.configMaps(
    ['keb-config', `runtime-version-${version.toLowerCase()}`],
    signal,
  );
  if (found.length > 1) {
    const names = found.map(({ metadata }) => metadata.name).join(', ');
    const why = `${found.length} ConfigMaps configure Kyma ${version}, one must: ${names}`;
    throw configError(configAmbiguous, why);
  }
  return found[0];
}

/** Built from a pull request or from the main branch: nobody writes configuration for each of them. */
const isCustomVersion = (version: string) => /^(PR|main)-/.test(version);
