// For tests of this client: what a runtime is known by.
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import type { KymaTemplate } from './kyma-resource.ts';

export const facts = {
  instanceId: 'instance-1',
  runtimeId: 'Runtime-1',
  planId: '361c511f-f939-4621-b228-d0fb79a1fe15',
  planName: 'aws',
  globalAccountId: 'ga-1',
  subaccountId: 'sa-1',
  shootName: 'c-1234567',
  shootDomain: 'c-1234567.kyma.example.com',
  region: 'eu-central-1',
  licenseType: 'CUSTOMER',
} as const;

export const template: KymaTemplate = {
  apiVersion: 'operator.kyma-project.io/v1beta2',
  kind: 'Kyma',
  metadata: { name: 'tbd', namespace: 'kyma-system', labels: { 'kyma-project.io/team': 'a' } },
  spec: {
    channel: 'stable',
    modules: [{ name: 'btp-operator' }, { name: 'nats', channel: 'fast' }],
  },
};

export const place = { namespace: 'kyma-system', name: 'runtime-1' };

/** Never to be seen. */
export const canary = 'canary-of-the-runtime';
export const kubeconfig = new Kubeconfig(`kind: Config # ${canary}`);
