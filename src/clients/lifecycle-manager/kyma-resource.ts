import { z } from 'zod';

export const kymaApiVersions = [
  'operator.kyma-project.io/v1beta1',
  'operator.kyma-project.io/v1beta2',
] as const;
export type KymaApiVersion = (typeof kymaApiVersions)[number];

const Labels = z.record(z.string(), z.string()).optional();

/** What operators want every new Kyma to look like. Its name is a placeholder; what is not named here is kept. */
export const KymaTemplate = z.looseObject({
  apiVersion: z.enum(kymaApiVersions),
  kind: z.literal('Kyma'),
  metadata: z.looseObject({
    namespace: z.string().min(1),
    labels: Labels,
    annotations: Labels,
  }),
  spec: z.record(z.string(), z.unknown()),
});
export type KymaTemplate = z.infer<typeof KymaTemplate>;

/** A Kyma as it is applied. */
export type KymaResource = KymaTemplate & { readonly metadata: KymaMetadata };

/** Common to a Kyma and to the Secret with the kubeconfig of its runtime. */
export type KymaMetadata = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

/** What is to be known of a runtime. */
export type KymaFacts = {
  readonly instanceId: string;
  readonly runtimeId: string;
  readonly planId: string;
  readonly planName: string;
  readonly globalAccountId: string;
  readonly subaccountId: string;
  readonly shootName: string;
  readonly shootDomain: string;
  /** Empty for clusters that customers bring along. */
  readonly region: string;
  readonly licenseType?: string | undefined;
};

/** Resource names are lower case, runtime ids need not be. */
export const kymaName = (runtimeId: string): string => runtimeId.toLowerCase();

export const internalLabel = 'operator.kyma-project.io/internal';
const licensesOfOthers = ['CUSTOMER', 'PARTNER', 'TRIAL'];

export function kymaMetadata(facts: KymaFacts): KymaMetadata {
  const name = kymaName(facts.runtimeId);
  const isInternal = !licensesOfOthers.includes(facts.licenseType ?? '');
  return {
    name,
    labels: {
      'kyma-project.io/instance-id': facts.instanceId,
      'kyma-project.io/runtime-id': facts.runtimeId,
      'kyma-project.io/broker-plan-id': facts.planId,
      'kyma-project.io/broker-plan-name': facts.planName,
      'kyma-project.io/global-account-id': facts.globalAccountId,
      'kyma-project.io/subaccount-id': facts.subaccountId,
      'kyma-project.io/shoot-name': facts.shootName,
      'kyma-project.io/region': facts.region,
      'operator.kyma-project.io/kyma-name': name,
      'operator.kyma-project.io/managed-by': 'lifecycle-manager',
      ...(isInternal && { [internalLabel]: 'true' }),
    },
    annotations: { 'skr-domain': facts.shootDomain },
  };
}

export function kymaResource(template: KymaTemplate, facts: KymaFacts): KymaResource {
  const { name, labels, annotations } = kymaMetadata(facts);
  return {
    ...template,
    metadata: {
      ...template.metadata,
      name,
      labels: { ...template.metadata.labels, ...labels },
      annotations: { ...template.metadata.annotations, ...annotations },
    },
  };
}
