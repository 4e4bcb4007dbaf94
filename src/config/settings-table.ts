import { z } from 'zod';
import { aboutSettings } from './about-settings.ts';
import { BrokerConfig } from './broker-config.ts';
import { ProvisionerConfig } from './provisioner-config.ts';

/** docs/configuration.md: every setting of both services, as their schemas have it. */
export const settingsDocument = (): string =>
  [
    '# Configuration',
    '',
    'Both services read their settings from environment variables, at their start, and name each one that will not do.',
    'An empty variable counts as one that is not there. A system without a URL is switched off, and its steps are left out',
    'on record. Written by `npm run settings` from `src/config`.',
    '',
    '## Broker',
    '',
    ...tableOf(BrokerConfig),
    '',
    '## Provisioner',
    '',
    ...tableOf(ProvisionerConfig),
    '',
  ].join('\n');

type Property = {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
};

function tableOf(schema: z.ZodObject): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as { properties?: Record<string, Property>; required?: string[] }; // the settings are an object
  const about: Readonly<Record<string, string | undefined>> = aboutSettings;
  return [
    '| variable | meaning | allowed | default |',
    '| --- | --- | --- | --- |',
    ...Object.entries(properties).map(
      ([name, property]) =>
        `| \`${name}\` | ${about[name]} | ${allowed(property)} | ${
          required.includes(name) ? '**needed**' : defaultOf(property, schema.shape[name])
        } |`,
    ),
  ];
}

function allowed({ type, format, pattern = '', enum: values, minimum, maximum }: Property): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (format === 'uri') return 'a URL';
  if (pattern.includes('[hms]')) return 'a duration';
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${minimum} or more`;
  return type === undefined ? 'a number' : 'a text';
}

/** Of a flag the schema tells only what it becomes. */
function defaultOf({ default: given }: Property, setting: z.core.$ZodType | undefined): string {
  const value = given ?? (setting && z.safeParse(setting, undefined).data);
  if (value === undefined) return '';
  return value === '' ? 'none' : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
}
