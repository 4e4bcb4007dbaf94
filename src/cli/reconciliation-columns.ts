import { paintedState, type Paint } from './output/colours.ts';
import type { Column } from './output/table.ts';
import { timeText } from './output/times.ts';
import type { ClusterState, ComponentOperation, Reconciliation } from './reconciler-answers.ts';

export const reconciliationColumns = (colour: Paint): Column<Reconciliation>[] => [
  { header: 'SCHEDULING ID', value: ({ schedulingID }) => schedulingID },
  { header: 'RUNTIME ID', value: ({ runtimeID }) => runtimeID },
  { header: 'CREATED AT', value: ({ created }) => timeText(created), least: 19 },
  { header: 'UPDATED', value: ({ updated }) => timeText(updated), least: 19 },
  {
    header: 'STATUS',
    value: ({ status }) => status,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'LOCK', value: ({ lock = '' }) => lock },
  { header: 'FINISHED', value: ({ finished = false }) => yesOrNo(finished), isWide: true },
];

export const clusterStateColumns = (colour: Paint): Column<ClusterState>[] => [
  { header: 'RUNTIME ID', value: ({ cluster }) => cluster.runtimeID },
  { header: 'KYMA VERSION', value: ({ configuration }) => configuration.kymaVersion ?? '' },
  { header: 'KYMA PROFILE', value: ({ configuration }) => configuration.kymaProfile ?? '' },
  {
    header: 'STATUS',
    value: ({ status }) => status.status,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'DELETED', value: ({ status }) => yesOrNo(status.deleted ?? false) },
  { header: 'CREATED AT', value: ({ status }) => timeText(status.created), least: 19 },
  { header: 'SHOOT', value: ({ cluster }) => cluster.metadata?.shootName ?? '', isWide: true },
  {
    header: 'CLUSTER VERSION',
    value: ({ cluster }) => String(cluster.version ?? ''),
    isWide: true,
  },
  {
    header: 'CONFIGURATION VERSION',
    value: ({ configuration }) => String(configuration.version ?? ''),
    isWide: true,
  },
];

export const componentColumns = (colour: Paint): Column<ComponentOperation>[] => [
  { header: 'COMPONENT', value: ({ component }) => component },
  { header: 'CORRELATION_ID', value: ({ correlationID }) => correlationID },
  { header: 'SCHEDULING_ID', value: ({ schedulingID }) => schedulingID },
  { header: 'PRIORITY', value: ({ priority }) => String(priority) },
  {
    header: 'STATE',
    value: ({ state }) => state,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'CREATED AT', value: ({ created }) => timeText(created), least: 19 },
  { header: 'UPDATED', value: ({ updated }) => timeText(updated), least: 19 },
  { header: 'REASON', value: ({ reason = '' }) => reason },
  { header: 'TYPE', value: ({ type = '' }) => type, isWide: true },
];

const yesOrNo = (isTrue: boolean) => (isTrue ? 'Yes' : 'No');
