import type { Clusters, Version } from './clusters.ts';
import { dateAt } from './reconciliations.ts';

export const kymaConfigOf = ({ configuration: { kymaConfig } }: Version) => ({
  administrators: [],
  ...kymaConfig,
});

/** All that is known of a version, with its status now. */
export function stateOf(clusters: Clusters, version: Version) {
  const { number, clusterVersion, configuration, given } = version;
  const { runtimeID, runtimeInput, metadata } = configuration;
  const { version: kymaVersion, profile, components, administrators } = kymaConfigOf(version);
  const current = given.at(-1);
  const last = current && clusters.statusesOf(current).at(-1);
  const sameCluster = clusters
    .versionsOf(runtimeID)
    .find((each) => each.clusterVersion === clusterVersion);
  const ofVersion = { runtimeID, clusterVersion };
  return {
    cluster: {
      version: clusterVersion,
      runtimeID,
      runtime: runtimeInput,
      metadata,
      contract: 1,
      created: beginOf(sameCluster ?? version),
    },
    configuration: {
      ...ofVersion,
      version: number,
      kymaVersion,
      kymaProfile: profile,
      components,
      administrators,
      contract: 1,
      deleted: false,
      created: beginOf(version),
    },
    status: {
      ...ofVersion,
      id: current?.id,
      configVersion: number,
      status: last?.status,
      deleted: false,
      created: current && dateAt(current, last?.from ?? 0),
    },
  };
}

const beginOf = ({ given: [first] }: Version) => first && dateAt(first, 0);
