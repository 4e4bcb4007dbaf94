import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { theRuntime } from './the-runtime.ts';

/** Director learns which cluster the runtime is. Labels that others have set stay. */
export const labelRuntime = (services: Services): Step<{ domain: string }> => ({
  name: 'Label_Runtime',
  about: 'Tells Director which cluster the runtime is.',
  domain: 'Director',
  owner: 'Team Framefrog',
  retry: { every: seconds(5), within: services.settings.limits.clusterDomain },
  async run({ operation, facts, signal }) {
    const { director } = services.clients;
    if (!director) return done();
    const { id, tenant, shootName, description } = await theRuntime(services, { operation });
    const registered = await director.runtime(tenant, id, signal);
    await director.updateRuntime(
      tenant,
      id,
      {
        name: registered?.name ?? description.name,
        ...(description.description !== undefined && { description: description.description }),
        labels: {
          ...registered?.labels,
          gardenerClusterName: shootName,
          gardenerClusterDomain: facts.domain,
        },
        condition: 'PROVISIONING',
      },
      signal,
    );
    return done();
  },
});
