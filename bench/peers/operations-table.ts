// What a queue of jobs does not know: how far an operation has come. The table an application would keep for that, with
// a transaction for each stage.
import type { Pool } from 'pg';
import { learned } from '../workload.ts';

export type OperationRow = { readonly id: string; readonly stage: number; readonly facts: object };

export async function createOperationsTable(pool: Pool): Promise<void> {
  await pool.query(
    `create table operations (
       id    uuid primary key,
       stage int not null default 0, -- so many are finished
       facts jsonb not null default '{}'
     ) with (fillfactor = 70)`,
  );
}

export async function insertOperation(pool: Pool, id: string): Promise<void> {
  await pool.query({
    name: 'insert_operation',
    text: 'insert into operations (id) values ($1)',
    values: [id],
  });
}

export async function loadOperations(pool: Pool, ids: readonly string[]): Promise<OperationRow[]> {
  const { rows } = await pool.query<OperationRow>({
    name: 'load_operations',
    text: 'select id, stage, facts from operations where id = any($1::uuid[])',
    values: [ids],
  });
  return rows;
}

/** The stage is part of the condition: a queue may deliver a job twice, and the second run must not count. */
export const finishStageSql =
  'update operations set stage = $2 + 1, facts = facts || $3 where id = $1 and stage = $2';

export const finishStageValues = (id: string, stage: number) => [
  id,
  stage,
  JSON.stringify({ [`learned${stage}`]: learned(stage) }),
];

export async function finishStage(pool: Pool, id: string, stage: number): Promise<void> {
  await pool.query({
    name: 'finish_stage',
    text: finishStageSql,
    values: finishStageValues(id, stage),
  });
}
