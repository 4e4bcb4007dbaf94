import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kubeconfig } from '#clients';
import { planNamed } from '../plans/testing.ts';
import { startBroker } from '../testing.ts';
import { newOverrides } from './chosen-components.ts';
import { clusterConfiguration } from './cluster-configuration.ts';

const parts = {
  list: { prerequisites: [], components: [{ name: 'istio', namespace: 'istio-system' }] },
  additional: [],
};

test('the Reconciler is told whose the runtime is, and sets domain, global and own overrides in this order', async () => {
  await using world = await startBroker();
  const { instanceId } = await world.order('trial', { instanceId: 'instance-1' });
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  const overrides = newOverrides({});
  overrides.appendGlobalOverrides([{ key: 'global.flag', value: 'true' }]);
  overrides.appendOverrides('istio', [{ key: 'password', value: 'canary', secret: true }]);
  const configuration = clusterConfiguration({
    instance: {
      ...instance,
      shootDomain: 'c-1.example.com',
      details: { clusterName: 'demo-abcde' },
    },
    plan: planNamed('trial'),
    runtimeId: 'runtime-1',
    kymaVersion: '2.18.0',
    parts,
    overrides,
    kubeconfig: new Kubeconfig('kind: Config'),
  });
  assert.deepEqual(configuration, {
    runtimeID: 'runtime-1',
    runtimeInput: { name: 'demo-abcde', description: '' },
    kymaConfig: {
      version: '2.18.0',
      profile: 'Evaluation',
      components: [
        {
          URL: '',
          component: 'istio',
          namespace: 'istio-system',
          version: '',
          configuration: [
            { key: 'global.domainName', value: 'c-1.example.com', secret: false },
            { key: 'global.flag', value: true, secret: false },
            { key: 'password', value: 'canary', secret: true },
          ],
        },
      ],
      administrators: ['somebody@example.com'],
    },
    metadata: {
      globalAccountID: 'ga-1',
      subAccountID: 'SA-1',
      serviceID: '47c9dcbf-ff30-448e-ab36-d3bad66ba281',
      servicePlanID: instance.planId,
      servicePlanName: 'trial',
      shootName: instance.shootName,
      instanceID: 'instance-1',
      region: instance.region,
    },
    kubeconfig: 'kind: Config',
  });
});
