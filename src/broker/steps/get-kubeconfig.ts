import { checkKubeconfig, Kubeconfig } from '#clients';
import { done, memoryOf, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import type { Wishing } from '../wanted-changes.ts';
import type { Order } from './conditions.ts';
import { tenantOf } from './runtime-of.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

/** An administrator's way into the cluster, for the other steps of the stage. */
export const kubeconfigKey = memoryOf<Kubeconfig>('kubeconfig');

const system = 'provisioner';
const shortest = 10;

/** Never stored: whenever the stage starts over, it is asked for once more. */
export const getKubeconfig = (services: Services): Step<Order & Wishing> => ({
  name: 'Get_Kubeconfig',
  about: 'Gets the kubeconfig of the cluster from the provisioner, or from the order.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  retry: steady(minutes(1)),
  async run({ operation, facts, memory, signal }) {
    const instance = await theInstance(services, { operation, facts });
    const { kubeconfig: own } = instance.parameters; // it was checked when the order came
    if (own) {
      memory.set(kubeconfigKey, new Kubeconfig(own.reveal()));
      return done();
    }
    const { provisioner } = services.clients;
    const runtimeId = runtimeIdOf(instance);
    const { kubeconfig } = await provisioner.runtimeStatus(tenantOf(instance), runtimeId, signal);
    if (!kubeconfig) return wait(minutes(1), 'there is no kubeconfig yet', system);
    if (kubeconfig.reveal().length < shortest)
      return wait(seconds(30), 'the kubeconfig is too short to be one', system);
    const complaints = checkKubeconfig(kubeconfig.reveal());
    if (complaints.length > 0)
      return wait(seconds(30), `the kubeconfig cannot be used: ${complaints.join(', ')}`, system);
    memory.set(kubeconfigKey, kubeconfig);
    return done();
  },
});
