import type { RuntimeClusterConfig, Tag } from '#clients';
import { done, skip, type Step } from '#engine';
import { seconds } from '#time';
import type { AvsPlaces, Services } from '../services.ts';
import { tenantOf } from './runtime-of.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

/** AvS takes a tag any number of times: those that are there are not added again. */
export const avsTags = (services: Services): Step => ({
  name: 'AVS_Tags',
  about: 'Tags the internal evaluation with the names of shoot and seed, and the region.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: steady(seconds(30), services.settings.limits.avsInternal),
  async run({ operation, signal, log }) {
    const { avs, provisioner } = services.clients;
    const classes = services.settings.avs.tagClasses;
    if (!avs || !classes) return skip('no classes of tags are set');
    const instance = await theInstance(services, { operation });
    const id = instance.details.avsInternalId;
    if (id === undefined) return skip('there is no internal evaluation');
    const tenant = tenantOf(instance);
    const { cluster } = await provisioner.runtimeStatus(tenant, runtimeIdOf(instance), signal);
    const { tags } = await avs.getEvaluation(id, signal);
    for (const [name, tag] of wantedTags(classes, cluster)) {
      if (tag.content === '') log.warn({ tag: name }, 'the provisioner does not know what to tag');
      else if (!tags.some((each) => isSame(each, tag))) await avs.addTag(id, tag, signal);
    }
    return done();
  },
});

const wantedTags = (
  { shootName, seed, region }: NonNullable<AvsPlaces['tagClasses']>,
  cluster: RuntimeClusterConfig | undefined,
): [string, Tag][] => [
  ['shoot name', { content: cluster?.name ?? '', classId: shootName, className: '' }],
  ['seed', { content: cluster?.seed ?? '', classId: seed, className: '' }],
  ['region', { content: cluster?.region ?? '', classId: region, className: '' }],
];

const isSame = (one: Tag, other: Tag) =>
  one.classId === other.classId && one.content === other.content;
