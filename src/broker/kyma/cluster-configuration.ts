import { configuredComponents, type ClusterConfiguration, type Kubeconfig } from '#clients';
import type { Instance } from '../instance.ts';
import type { Overrides } from '../overrides.ts';
import { administratorsOf } from '../plans/cluster-access.ts';
import type { Plan } from '../plans/plans.ts';
import { chosenComponents } from './chosen-components.ts';
import type { KymaParts } from './kyma-parts.ts';
import { regionOf } from './kyma-facts.ts';

/** All that the Reconciler shall know of the runtime, and install in it. Holds secrets. */
export function clusterConfiguration(of: {
  readonly instance: Instance;
  readonly plan: Plan;
  readonly runtimeId: string;
  readonly kymaVersion: string;
  readonly parts: KymaParts;
  readonly overrides: Overrides;
  readonly kubeconfig: Kubeconfig;
}): ClusterConfiguration {
  const { instance, plan, overrides } = of;
  const choices = chosenComponents(plan.name, of.parts, overrides);
  return {
    runtimeID: of.runtimeId,
    runtimeInput: {
      name: instance.details.clusterName ?? instance.parameters.name,
      description: '',
    },
    kymaConfig: {
      version: of.kymaVersion,
      profile: plan.kymaProfile,
      components: configuredComponents(choices, instance.shootDomain, overrides.global),
      administrators: administratorsOf(instance.parameters, instance.context.user_id),
    },
    metadata: {
      globalAccountID: instance.globalAccount,
      subAccountID: instance.subaccount,
      serviceID: instance.serviceId,
      servicePlanID: instance.planId,
      servicePlanName: instance.planName,
      shootName: instance.shootName,
      instanceID: instance.id,
      region: regionOf(instance),
    },
    kubeconfig: of.kubeconfig.reveal(),
  };
}
