import { edpConflict, SystemError, type DataTenant, type EdpClient, type Metadata } from '#clients';
import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/**
 * Registers the subaccount as a data tenant. One that is there, from a run before, is taken: removed and made anew it
 * could be missing in the end, if two replicas do so at the same time.
 */
export const edpRegistration = (services: Services): Step => ({
  name: 'EDP_Registration',
  about: 'Registers the runtime on the Event Data Platform, so that its usage can be billed.',
  domain: 'Event Data Platform',
  owner: 'Team Gopher',
  retry: {
    every: seconds(10),
    upTo: seconds(10),
    within: services.settings.limits.edpRegistration,
    otherwise: services.settings.edp.isRequired ? 'fail' : 'go on',
  },
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    const { edp } = clients;
    if (!edp || instance.details.edpRegistered) return done();
    // First this: whoever removes another runtime of the subaccount now leaves the tenant where it is.
    await instances.remember(database.pool, instance.id, { edpRegistered: false });
    await register(edp, dataTenantOf(services, instance), instance, signal);
    await instances.remember(database.pool, instance.id, { edpRegistered: true });
    return done();
  },
});

async function register(
  edp: EdpClient,
  tenant: DataTenant,
  instance: Instance,
  signal: AbortSignal,
): Promise<void> {
  const secret = Buffer.from(tenant.name + tenant.environment).toString('base64');
  await unlessThere(edp.createDataTenant(tenant, secret, signal));
  for (const entry of metadataOf(instance)) {
    const isNew = await unlessThere(edp.createMetadata(tenant, entry, signal));
    if (isNew) continue;
    // An earlier runtime of the subaccount may have left another value.
    await edp.deleteMetadata(tenant, entry.key, signal);
    await unlessThere(edp.createMetadata(tenant, entry, signal));
  }
}

/** False if there is one already. */
async function unlessThere(creation: Promise<void>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (error instanceof SystemError && error.reason === edpConflict) return false;
    throw error;
  }
}

/** Metadata first: they need their tenant. */
export async function deregister(
  edp: EdpClient,
  tenant: DataTenant,
  signal: AbortSignal,
): Promise<void> {
  for (const key of metadataKeys) await edp.deleteMetadata(tenant, key, signal);
  await edp.deleteDataTenant(tenant, signal);
}

export const dataTenantOf = (
  { settings }: Services,
  { subaccount }: Pick<Instance, 'subaccount'>,
): DataTenant => ({
  name: subaccount.toLowerCase(),
  environment: settings.edp.environment,
});

const metadataKeys = [
  'maasConsumerEnvironment',
  'maasConsumerRegion',
  'maasConsumerSubAccount',
  'maasConsumerServicePlan',
] as const;

function metadataOf({ platform, subaccount, planName }: Instance): Metadata[] {
  const values: Record<(typeof metadataKeys)[number], string> = {
    maasConsumerEnvironment: environments[platform.region.split('-', 1)[0] ?? ''] ?? 'CF',
    maasConsumerRegion: platform.region,
    maasConsumerSubAccount: subaccount.toLowerCase(),
    maasConsumerServicePlan: servicePlans[planName] ?? 'standard',
  };
  return metadataKeys.map((key) => ({ key, value: values[key] }));
}

const environments: Readonly<Record<string, string>> = {
  cf: 'CF',
  k8s: 'KUBERNETES',
  neo: 'NEO',
};
const servicePlans: Readonly<Record<string, string>> = { free: 'free', azure_lite: 'tdd' };
