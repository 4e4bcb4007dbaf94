import { z } from 'zod';
import { isCanonical, parseCidr } from './cidr.ts';

/** Every parameter that some plan may take. How each looks stands in parameter-definitions.ts. */
export const parameterNames = [
  'name',
  'region',
  'machineType',
  'autoScalerMin',
  'autoScalerMax',
  'maxSurge',
  'maxUnavailable',
  'volumeSizeGb',
  'zones',
  'purpose',
  'targetSecret',
  'components',
  'kymaVersion',
  'overridesVersion',
  'administrators',
  'provider',
  'oidc',
  'networking',
  'modules',
  'kubeconfig',
  'shootName',
  'shootDomain',
  'licence_type',
  'expired',
] as const;
export type ParameterName = (typeof parameterNames)[number];

export const providerNames = ['azure', 'aws', 'gcp', 'openstack'] as const;
export type ProviderName = (typeof providerNames)[number];

const text = z.string().min(1);
const count = z.int().positive();
const cidr = z.string().refine(isCanonicalCidr, 'expected a range of addresses like 10.250.0.0/22');

const Provider = z.strictObject({
  /** As platforms and customers write it: `AWS`. */
  displayName: text,
  /** The only region on offer to platform regions with EU access. */
  euAccessRegion: text.exactOptional(),
  regions: z.record(text, z.strictObject({ displayName: text, zones: z.array(text).min(1) })),
  machineTypes: z.record(text, text),
});
const OpenStack = Provider.extend({ cloudProfile: text, loadBalancer: text, exposureClass: text });

const sameName = (regions: string[]) => Object.fromEntries(regions.map((name) => [name, name]));

/** What a plan offers at one provider, and what it gives to those who do not choose. */
const Offer = z.strictObject({
  region: text,
  /** From what customers write to the region they get: a list if both are the same. */
  regions: z.union([z.array(text).transform(sameName), z.record(text, text)]),
  machineType: text,
  machineTypes: z.array(text).default([]),
  moreMachineTypesForUpdates: z.array(text).default([]),
  nodes: z.strictObject({ min: count, max: count }),
  /** Whether clusters spread over three zones where the broker is set to do so. */
  severalZones: z.boolean(),
  maxSurge: z.union([z.literal('zones'), count]),
  /** Without it the provider decides. */
  disk: z.strictObject({ sizeGb: count, type: text }).exactOptional(),
  /** Without it the broker's settings decide. */
  purpose: text.exactOptional(),
  /** Without it the one that all share. */
  nodesCidr: cidr.exactOptional(),
  natGateway: z.boolean().exactOptional(),
});

const names = z.array(z.enum(parameterNames)).default([]);
const ParameterLists = z.strictObject({
  required: names,
  shown: names,
  additional: names,
  hidden: names,
});

const Plan = z.strictObject({
  id: z.guid(),
  description: text.exactOptional(),
  displayName: text.exactOptional(),
  free: z.boolean(),
  bindable: z.boolean().default(true),
  upgradableTo: z.array(text).default([]),
  /** Goes to the cluster, whatever the request says. */
  licenceType: text.exactOptional(),
  kymaProfile: z.enum(['Evaluation', 'Production']).default('Production'),
  autoscaler: z
    .strictObject({
      min: z.strictObject({ minimum: count, default: count }),
      max: z.strictObject({ minimum: count, maximum: count, default: count }),
    })
    .exactOptional(),
  /** Who chooses among several providers: the platform by where it runs itself, or the customer by a parameter. */
  providerFrom: z.enum(['platform', 'parameter']).exactOptional(),
  /** From platform regions to what a customer there would probably write as region. */
  platformRegions: z.record(text, text).default({}),
  /** None if the customer brings the cluster. The first one counts if nobody chooses. */
  providers: z.partialRecord(z.enum(providerNames), Offer).default({}),
  parameters: z.strictObject({ create: ParameterLists, update: ParameterLists }),
});

export const CatalogSchema = z.strictObject({
  service: z.strictObject({
    id: z.guid(),
    name: text,
    description: text,
    tags: z.array(text),
    metadata: z.record(text, text),
  }),
  euAccess: z.array(text),
  networking: z.strictObject({
    nodes: cidr,
    pods: cidr,
    services: cidr,
    seeds: z.array(cidr),
    longestNodesPrefix: z.int().min(1).max(29),
  }),
  form: z.strictObject({
    controlsOrder: z.array(z.enum(parameterNames)),
    /** By the path of what they describe: `networking.nodes`. */
    hints: z.record(text, z.record(text, z.json())),
  }),
  providers: z.strictObject({
    azure: Provider,
    aws: Provider,
    gcp: Provider,
    openstack: OpenStack,
  }),
  plans: z.record(text, Plan),
});

export type Catalog = z.output<typeof CatalogSchema>;
export type PlanDefinition = z.output<typeof Plan>;
export type Offer = z.output<typeof Offer>;
export type RequestKind = keyof PlanDefinition['parameters'];

function isCanonicalCidr(value: string): boolean {
  const range = parseCidr(value);
  return range !== undefined && isCanonical(range);
}
