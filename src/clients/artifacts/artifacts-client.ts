import { readManifest } from '../kyma-installer/manifest.ts';
import { SystemError } from '../system-error.ts';
import type { SystemLimits } from '../system-limits.ts';
import { readComponentList, type ComponentList } from './component-list.ts';
import { downloads } from './download.ts';
import { checkVersion, isDevelopmentVersion } from './kyma-version.ts';

/** The files of Kyma's releases, and of its versions in development. */
export type ArtifactsClient = {
  /** Kyma 1.x: the objects that make up its installer. */
  readonly installerYaml: (version: string, signal: AbortSignal) => Promise<string>;
  /** What the installers of old build on; undefined for those that do not. */
  readonly tillerYaml: (version: string, signal: AbortSignal) => Promise<string | undefined>;
  readonly components: (version: string, signal: AbortSignal) => Promise<ComponentList>;
};

/** Each has a folder per version. */
export type ArtifactsSettings = SystemLimits & {
  /** Installers of releases. */
  readonly releasesUrl: string;
  /** Lists of components of releases. */
  readonly componentsUrl: string;
  /** Everything of versions that are no releases. */
  readonly developmentUrl: string;
};

/** Where the Kyma project has them. */
export const publicArtifacts = {
  releasesUrl: 'https://storage.googleapis.com/kyma-prow-artifacts',
  componentsUrl: 'https://github.com/kyma-project/kyma/releases/download',
  developmentUrl: 'https://storage.googleapis.com/kyma-development-artifacts',
} as const;

export function artifactsClient(settings: ArtifactsSettings): ArtifactsClient {
  const download = downloads('artifacts', settings);

  const fileOf = (version: string, file: string, ofReleases: string, signal: AbortSignal) => {
    checkVersion(version);
    const base = isDevelopmentVersion(version) ? settings.developmentUrl : ofReleases;
    const url = `${base.replace(/\/+$/, '')}/${encodeURIComponent(version)}/${file}`;
    return download({ url, what: `get ${file} of Kyma ${version}`, signal });
  };
  const manifestOf = async (version: string, file: string, signal: AbortSignal) => {
    const text = await fileOf(version, file, settings.releasesUrl, signal);
    const manifest = readManifest(text);
    if (manifest.kind === 'malformed') throw wrongFile(file, version, manifest.because);
    return text;
  };

  return {
    installerYaml: async (version, signal) =>
      manifestOf(version, 'kyma-installer-cluster.yaml', signal),
    async tillerYaml(version, signal) {
      try {
        return await manifestOf(version, 'tiller.yaml', signal);
      } catch (error) {
        if (error instanceof SystemError && error.status === 404) return undefined;
        throw error;
      }
    },
    async components(version, signal) {
      const file = 'kyma-components.yaml';
      const list = readComponentList(await fileOf(version, file, settings.componentsUrl, signal));
      if (list.kind === 'malformed') throw wrongFile(file, version, list.because);
      return list.documents[0];
    },
  };
}

/** A wrong file may be the page of a proxy, or still be on its way there: it is waited out. */
const wrongFile = (file: string, version: string, why: string) =>
  new SystemError(
    'artifacts',
    `artifacts: cannot get ${file} of Kyma ${version}: the answer is not as expected: ${why}`,
    { temporary: true, reason: 'wrong_answer' },
  );
