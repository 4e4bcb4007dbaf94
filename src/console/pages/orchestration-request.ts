/** What stands in the fields of the form. */
export type OrchestrationDraft = {
  readonly kind: 'kyma' | 'cluster';
  readonly version: string;
  readonly plan: string;
  readonly region: string;
  readonly account: string;
  readonly exclude: string;
  readonly workers: string;
  readonly waves: string;
  readonly soak: string;
  readonly budget: string;
  readonly inWindow: boolean;
  readonly dryRun: boolean;
};

export const emptyDraft: OrchestrationDraft = {
  kind: 'kyma',
  version: '',
  plan: '',
  region: '',
  account: '',
  exclude: '',
  workers: '5',
  waves: '',
  soak: '',
  budget: '',
  inWindow: false,
  dryRun: false,
};

/** `10` is ten runtimes, `5%` is five of a hundred. */
const amount = (text: string, name: string) =>
  text.endsWith('%') ? { percent: Number.parseFloat(text) } : { [name]: Number(text) };
const isAmount = (text: string) => /^\d+(?:\.\d+)?%?$/.test(text);

export function problemsOf(
  draft: OrchestrationDraft,
): Partial<Record<keyof OrchestrationDraft, string>> {
  return {
    ...(!/^[1-9]\d*$/.test(draft.workers) && { workers: 'This must be a whole number above 0.' }),
    ...(!wavesOf(draft).every(isAmount) && {
      waves: 'Numbers or percentages, such as 1, 10, 25%.',
    }),
    ...(draft.budget !== '' &&
      !isAmount(draft.budget.trim()) && { budget: 'A number or a percentage, such as 5 or 10%.' }),
    ...(draft.soak !== '' &&
      !/^(?:\d+[hms])+$/.test(draft.soak.trim()) && {
        soak: 'A duration, such as 90s, 10m or 1h30m.',
      }),
  };
}

/** The body of the request that begins it. */
export function requestOf(draft: OrchestrationDraft) {
  const chosen = {
    ...(draft.plan !== '' && { planName: draft.plan }),
    ...(draft.region !== '' && { region: draft.region }),
    ...(draft.account !== '' && { globalAccount: draft.account }),
  };
  const version = draft.version.trim();
  const waves = wavesOf(draft);
  return {
    targets: {
      include: [Object.keys(chosen).length > 0 ? chosen : { target: 'all' }],
      ...(draft.exclude !== '' && { exclude: [{ globalAccount: draft.exclude }] }),
    },
    strategy: {
      type: 'parallel',
      schedule: 'now',
      maintenanceWindow: draft.inWindow,
      parallel: { workers: Number(draft.workers) },
      ...(waves.length > 0 && { waves: waves.map((each) => amount(each, 'size')) }),
      ...(draft.soak !== '' && { waveSoak: draft.soak.trim() }),
      ...(draft.budget !== '' && { errorBudget: amount(draft.budget.trim(), 'failures') }),
    },
    ...(version !== '' && draft.kind === 'kyma' && { kyma: { version } }),
    ...(version !== '' &&
      draft.kind === 'cluster' && { kubernetes: { kubernetesVersion: version } }),
    dryRun: draft.dryRun,
  };
}

const wavesOf = ({ waves }: OrchestrationDraft) =>
  waves
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
