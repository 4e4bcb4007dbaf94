import { paintedState, type Paint } from './output/colours.ts';
import { oneLine, shortened, type Column } from './output/table.ts';
import { timeText } from './output/times.ts';
import type {
  OrchestratedOperation,
  Orchestration,
  OrchestrationProgress,
} from './service/shapes.ts';

const targetsWidth = 20;

export const orchestrationColumns = (colour: Paint): Column<Orchestration>[] => [
  { header: 'ORCHESTRATION ID', value: ({ orchestrationID }) => orchestrationID },
  { header: 'TYPE', value: ({ type }) => type },
  { header: 'CREATED AT', value: ({ createdAt }) => timeText(createdAt), least: 19 },
  {
    header: 'STATE',
    value: ({ state }) => state,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'DRY RUN', value: ({ parameters }) => String(parameters?.dryRun ?? false) },
  {
    header: 'TARGETS',
    value: ({ parameters }) => shortened(targetsText(parameters?.targets?.include), targetsWidth),
  },
  { header: 'DETAILS', value: ({ description = '' }) => description },
  {
    header: 'PROGRESS',
    value: ({ progress }) => (progress ? progressText(progress) : ''),
    isWide: true,
  },
];

export const orchestratedColumns = (colour: Paint): Column<OrchestratedOperation>[] => [
  { header: 'OPERATION ID', value: ({ operationID }) => operationID },
  { header: 'SHOOT', value: ({ shootName = '' }) => shootName },
  { header: 'GLOBALACCOUNT', value: ({ globalAccountID }) => globalAccountID },
  { header: 'SUBACCOUNT', value: ({ subAccountID }) => subAccountID },
  {
    header: 'STATE',
    value: ({ state }) => state,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'PLAN', value: ({ servicePlanName = '' }) => servicePlanName, isWide: true },
  {
    header: 'WINDOW',
    value: ({ maintenanceWindowBegin }) => timeText(maintenanceWindowBegin),
    isWide: true,
  },
  { header: 'DETAILS', value: ({ description = '' }) => description, isWide: true },
];

const targetsText = (targets: readonly object[] = []) =>
  targets
    .map((target) =>
      Object.entries(target)
        .map(([name, value]) => (name === 'target' ? String(value) : `${name}=${String(value)}`))
        .join(','),
    )
    .join(' ');

export function progressText(progress: OrchestrationProgress): string {
  const { total, succeeded, failed, canceled, inProgress, pending, wave, waves } = progress;
  const inWaves = waves !== undefined && waves > 1 ? `, wave ${wave ?? 0} of ${waves}` : '';
  return `${succeeded + failed + canceled} of ${total}: ${succeeded} succeeded, ${failed} failed, ${inProgress} running, ${pending} pending, ${canceled} canceled${inWaves}`;
}

/** One orchestration, label and value, with its counts. */
export function orchestrationSheet(one: Orchestration, colour: Paint): string[] {
  const { parameters = {}, operationStats = {}, progress } = one;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Orchestration ID', one.orchestrationID],
    ['Type', one.type],
    ['Created At', timeText(one.createdAt)],
    ['Updated At', timeText(one.updatedAt)],
    ['Dry Run', String(parameters.dryRun ?? false)],
    ['State', paintedState(one.state, colour)],
    ['Description', one.description && oneLine(one.description)],
    ['Paused Because', one.pausedBecause],
    ['Strategy', parameters.strategy && JSON.stringify(parameters.strategy)],
    ['Targets', targetsText(parameters.targets?.include)],
    ['Excluded', targetsText(parameters.targets?.exclude)],
    ['Kyma Version', parameters.kyma?.version],
    ['Kubernetes Version', parameters.kubernetes?.kubernetesVersion],
    ['Progress', progress && progressText(progress)],
    ['Now', one.explanation?.summary],
    ...Object.entries(operationStats).map(
      ([state, count]) => [`  ${state}`, String(count)] as const,
    ),
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows.flatMap(([label, value]) => (value ? [`${`${label}:`.padEnd(width)}${value}`] : []));
}

/** What a fleet upgrade has come to: whom it touched, and why some failed. */
export function reportLines({ orchestrationID, state, report }: Orchestration): string[] {
  if (!report) return [`orchestration ${orchestrationID} (${state}) has no report yet`];
  return [`report of ${orchestrationID} (${state})`, ...indented(report, '  ')];
}

function indented(value: object, indent: string): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    if (Array.isArray(each))
      return [
        `${indent}${name}: ${each.length === 0 ? 'none' : ''}`.trimEnd(),
        ...each.map((item: unknown) =>
          oneLine(
            `${indent}  - ${typeof item === 'object' && item !== null ? inOneLine(item) : String(item)}`,
          ),
        ),
      ];
    if (typeof each === 'object' && each !== null)
      return [`${indent}${name}:`, ...indented(each as object, `${indent}  `)];
    return [oneLine(`${indent}${name}: ${String(each)}`)];
  });
}

const inOneLine = (item: object) =>
  Object.entries(item)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(', ');
