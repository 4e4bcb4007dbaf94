// The durable state of an operation beside a job queue, which knows only jobs: the table that an application with
// operations of several stages would keep, written by a transaction of its own after each stage.
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

/** Names the stage it finishes: queues deliver a job at least once, and a second run must not count twice. */
export async function finishStage(pool: Pool, id: string, stage: number): Promise<void> {
  await pool.query({
    name: 'finish_stage',
    text: 'update operations set stage = $2 + 1, facts = facts || $3 where id = $1 and stage = $2',
    values: [id, stage, newFacts(stage)],
  });
}

export const newFacts = (stage: number) => JSON.stringify({ [`learned${stage}`]: learned(stage) });
