import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { configMap } from '../kubernetes/kinds.ts';

/** The version that runtimes get unless somebody asks for another one. */
export const demoKymaVersion = '2.18.0';

const plans = [
  'azure',
  'azure_lite',
  'aws',
  'gcp',
  'openstack',
  'trial',
  'free',
  'preview',
  'own_cluster',
];

const brokerConfig = `additional-components:
  - name: btp-operator
    namespace: kyma-system
    source:
      url: https://github.com/kyma-project/btp-manager/releases/latest
  - name: compass-runtime-agent
    namespace: compass-system
    source:
      url: https://github.com/kyma-project/compass-manager/releases/latest
kyma-template: |-
  apiVersion: operator.kyma-project.io/v1beta2
  kind: Kyma
  metadata:
    name: tbd
    namespace: kyma-system
  spec:
    sync:
      strategy: secret
    channel: stable
    modules:
      - name: btp-operator
        customResourcePolicy: CreateAndDelete
`;

const workingDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'];
const maintenancePolicy = {
  rules: [
    {
      match: { plan: 'trial|free' },
      days: workingDays,
      timeBegin: '010000+0000',
      timeEnd: '010000+0000',
    },
    {
      match: { region: 'europe|eu-' },
      days: ['Sat'],
      timeBegin: '200000+0000',
      timeEnd: '000000+0000',
    },
  ],
  default: { days: ['Sat', 'Sun'], timeBegin: '210000+0000', timeEnd: '230000+0000' },
};

/** What operators of a control plane would have written: enough for every plan at the default version. */
export function addDemoConfiguration(api: KubernetesApi, namespace: string): void {
  const add = (name: string, labels: Record<string, string>, data: Record<string, string>) =>
    api.create(configMap, { metadata: { namespace, name, labels }, data });
  add(
    `keb-config-${demoKymaVersion}`,
    { 'keb-config': 'true', [`runtime-version-${demoKymaVersion}`]: 'true' },
    { default: brokerConfig },
  );
  for (const plan of plans) {
    add(
      `overrides-${plan.replaceAll('_', '-')}`,
      { [`overrides-plan-${plan}`]: 'true', [`overrides-version-${demoKymaVersion}`]: 'true' },
      { 'global.disableLegacyConnectivity': 'true', 'global.plan': plan },
    );
  }
  add('kyma-versions', {}, { GA_demo: demoKymaVersion });
  add('orchestration-config', {}, { maintenancePolicy: JSON.stringify(maintenancePolicy) });
}
