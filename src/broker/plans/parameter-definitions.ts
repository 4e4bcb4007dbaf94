import { z } from 'zod';
import { Secret } from '#database';
import type { ParameterName, RequestKind } from './catalog-schema.ts';
import { providerFor, regionChoices } from './cluster-location.ts';
import type { Plan } from './plans.ts';
import type { Platform } from './platform.ts';

/** What the form of a parameter depends on. */
export type Asked = {
  readonly plan: Plan;
  readonly request: RequestKind;
  readonly platform: Platform;
};

const text = z.string().min(1);
const dnsLabel = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const channel = z.enum(['regular', 'fast']);

/**
 * The form of every parameter: what the broker checks and what the catalog publishes. Rules that look at more than one
 * value, or into one, stand in parameter-rules.ts.
 */
export const definitions = {
  name: () => text.regex(/^[a-zA-Z0-9-]*$/),
  region: ({ plan, platform }: Asked) => choice(regionChoices(plan, platform)),
  machineType: (asked: Asked) => choice(machineTypes(asked)),
  autoScalerMin({ plan, request }: Asked) {
    const limits = plan.autoscaler?.min;
    return z
      .int()
      .min(limits?.minimum ?? 1)
      .meta(defaultFor(request, limits?.default));
  },
  autoScalerMax({ plan, request }: Asked) {
    const limits = plan.autoscaler?.max;
    return z
      .int()
      .min(limits?.minimum ?? 1)
      .max(limits?.maximum ?? Number.MAX_SAFE_INTEGER)
      .meta(defaultFor(request, limits?.default));
  },
  maxSurge: () => z.int().min(0),
  maxUnavailable: () => z.int().min(0),
  volumeSizeGb: () => z.int().min(1),
  zones: () => z.array(text).min(1),
  purpose: () => z.enum(['evaluation', 'development', 'testing', 'production']),
  targetSecret: () => text,
  components: () => z.array(z.enum(['kiali', 'tracing'])),
  kymaVersion: () => text,
  overridesVersion: () => text,
  administrators: () => z.array(z.string()),
  provider: ({ plan: { catalog, providers } }: Asked) =>
    z.enum(Object.keys(providers).map((name) => displayName(catalog, name))),
  oidc: () =>
    z
      .strictObject({
        clientID: z.string().exactOptional(),
        issuerURL: z.string().exactOptional(),
        groupsClaim: z.string().exactOptional(),
        usernameClaim: z.string().exactOptional(),
        usernamePrefix: z.string().exactOptional(),
        signingAlgs: z.array(z.string()).exactOptional(),
      })
      // Forms must not leave them out; an object with nothing in it has always meant "no change", though.
      .meta({ required: ['clientID', 'issuerURL'] }),
  networking: ({ plan: { catalog }, request }: Asked) =>
    z.strictObject({
      nodes: z.string().meta({
        ...catalog.form.hints['networking.nodes'],
        ...defaultFor(request, catalog.networking.nodes),
      }),
    }),
  modules: () =>
    z.union([
      z.strictObject({ default: z.boolean(), channel: channel.exactOptional() }),
      z.strictObject({
        list: z.array(
          z.strictObject({
            name: text,
            channel: channel.exactOptional(),
            customResourcePolicy: z.enum(['CreateAndDelete', 'Ignore']).exactOptional(),
          }),
        ),
        channel: channel.exactOptional(),
      }),
    ]),
  kubeconfig: () => text.transform((value) => new Secret(value)),
  shootName: () => text.regex(new RegExp(`^${dnsLabel}$`)),
  shootDomain: () => text.regex(new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`)),
  licence_type: () => z.string(),
  expired: () => z.boolean(),
} satisfies Record<ParameterName, (asked: Asked) => z.ZodType>;

/** What an order says, whatever the plan. */
export type GivenParameters = {
  readonly [Name in ParameterName]?: z.output<ReturnType<(typeof definitions)[Name]>>;
};
export type OidcParameter = NonNullable<GivenParameters['oidc']>;

const choice = (displayNames: Readonly<Record<string, string>>) =>
  z.enum(Object.keys(displayNames)).meta({ _enumDisplayName: displayNames });

/** A form for an update shows what there is, not what would be the usual. */
const defaultFor = (request: RequestKind, value: string | number | undefined) =>
  request === 'create' && value !== undefined ? { default: value } : {};

function machineTypes({ plan, request, platform }: Asked): Record<string, string> {
  const provider = providerFor(plan, platform);
  const offer = provider && plan.providers[provider];
  if (!offer) return {};
  const known = plan.catalog.providers[provider].machineTypes;
  const more = request === 'update' ? offer.moreMachineTypesForUpdates : [];
  return Object.fromEntries(
    [...offer.machineTypes, ...more].map((name) => [name, known[name] ?? name]),
  );
}

const displayName = ({ providers }: Plan['catalog'], name: string) =>
  Object.entries(providers).find(([each]) => each === name)?.[1].displayName ?? name;
