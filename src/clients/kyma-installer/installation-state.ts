import { z } from 'zod';

/** How far the installer is. */
export type InstallationState =
  | { readonly state: 'NoInstallation' }
  /** The installer has not looked at it yet. */
  | { readonly state: 'Empty' }
  | { readonly state: 'InProgress'; readonly description: string }
  | { readonly state: 'Installed'; readonly version: string }
  | { readonly state: 'Uninstalled' }
  /** Not final: the installer goes on trying for a while. */
  | {
      readonly state: 'Error';
      readonly description: string;
      readonly errors: readonly InstallationError[];
    }
  /** A state that nobody has heard of. */
  | { readonly state: 'Unknown'; readonly reported: string; readonly description: string };

export type InstallationError = {
  readonly component: string;
  readonly log: string;
  readonly occurrences: number;
};

export type Installation = z.infer<typeof Installation>;
export const Installation = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).optional() }),
  spec: z.object({ version: z.string().default('') }).prefault({}),
  status: z
    .object({
      state: z.string().default(''),
      description: z.string().default(''),
      version: z.string().default(''),
      errorLog: z
        .array(
          z.object({
            component: z.string().default(''),
            log: z.string().default(''),
            occurrences: z.number().default(1),
          }),
        )
        .nullish(),
    })
    .prefault({}),
});

export function installationState(installation: Installation | undefined): InstallationState {
  if (!installation) return { state: 'NoInstallation' };
  const { state, description, version, errorLog } = installation.status;
  // The installer takes the label away before it reports success: with it, the report is that of the time before.
  const isAsked = ['install', 'uninstall'].includes(installation.metadata.labels?.['action'] ?? '');
  const notBegun = { state: 'InProgress', description: 'the installer has not begun yet' } as const;
  switch (state) {
    case '':
      return { state: 'Empty' };
    case 'InProgress':
      return { state, description };
    case 'Installed':
      return isAsked ? notBegun : { state, version: version || installation.spec.version };
    case 'Uninstalled':
      return isAsked ? notBegun : { state };
    case 'Error':
      return { state, description, errors: errorLog ?? [] };
    default:
      return { state: 'Unknown', reported: state, description };
  }
}
