import type { Pool } from 'pg';

/** To which orchestrations operations belong. */
export async function orchestrationsOf(
  pool: Pool,
  operationIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ operation: string; orchestration: string }>(
    `select operation_id as operation, orchestration_id as orchestration from orchestration_operations
      where operation_id = any($1::uuid[])`,
    [operationIds],
  );
  return new Map(rows.map(({ operation, orchestration }) => [operation, orchestration]));
}

export async function operationsOfOrchestrations(
  pool: Pool,
  orchestrationIds: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select operation_id as id from orchestration_operations where orchestration_id::text = any($1)',
    [orchestrationIds],
  );
  return rows.map(({ id }) => id);
}
