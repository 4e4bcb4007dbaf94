-- Durable operations. One row is the operation, its place in the queue and its lease at once, so that there is no
-- second record that could disagree with it.

create table replicas (
  id           integer generated always as identity primary key, -- also the number of its session advisory lock
  name         text not null,
  started_at   timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);

create table operations (
  id              uuid primary key,
  number          bigint generated always as identity, -- the order of acceptance
  type            text not null,
  subject         text not null check (length(subject) between 1 and 500),
  account         text not null default '',
  lane            integer not null generated always as (hashtext(type || '/' || account)) stored, -- lanes take turns
  state           text not null check (state in ('pending', 'in progress', 'succeeded', 'failed', 'canceled')),
  description     text not null default 'Operation created',
  facts           jsonb not null,

  -- How far it has come.
  finished_stages text[] not null default '{}',
  progress        jsonb not null default '{}', -- of the steps of the unfinished stage: attempts, first run, last record
  not_completed   text[] not null default '{}', -- best-effort steps that gave up
  history_length  integer not null default 0, -- rows in step_runs
  error           jsonb,

  -- What it does now, or waits for.
  stage           text,
  step            text,
  attempt         integer,
  because         text,
  system          text,
  waiting_since   timestamptz,
  deadline        timestamptz,
  cancel_because  text,

  -- Who runs it, and when it is (or was) due. A claim leaves due_at alone: no index has to follow it.
  claimed_by      integer,
  epoch           integer not null default 0, -- raised when it is claimed and when it is given up; each write must name it
  losses          integer not null default 0, -- replicas that died on it since it last got on
  due_at          timestamptz,
  queued_ms       double precision not null default 0, -- due, but no worker was free: no time limit counts this

  created_at      timestamptz not null,
  started_at      timestamptz,
  updated_at      timestamptz not null,
  ended_at        timestamptz,

  -- An open operation waits behind another one, or has a time at which it runs. Always.
  constraint never_forgotten check (case state
    when 'pending'     then claimed_by is null and due_at is null and ended_at is null
    when 'in progress' then due_at is not null and started_at is not null and ended_at is null
    else                    claimed_by is null and due_at is null and ended_at is not null
  end)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

create unique index one_in_progress_per_subject on operations (subject) where state = 'in progress';
create index operations_due on operations (due_at) where due_at is not null;
create index operations_of_subject on operations (subject, number);

-- The timeline. Runs that repeat with the same outcome and reason are one row that grows. There is no foreign key:
-- rows are only ever inserted by the statement that updates their operation, and the check would cost as much again.
create table step_runs (
  operation_id uuid not null,
  number       integer not null,
  stage        text not null,
  step         text not null,
  outcome      text not null check (outcome in ('done', 'wait', 'skip', 'retry', 'fail', 'not completed', 'canceled')),
  because      text,
  system       text,
  error_class  text,
  attempt      integer not null, -- of the last run in this row
  runs         integer not null,
  replica      text not null,
  started_at   timestamptz not null, -- of the first run
  ended_at     timestamptz not null, -- of the last run
  duration_ms  double precision not null, -- of all its runs together, without the waiting between them
  primary key (operation_id, number)
);

-- However an operation ends, the next one of its subject begins in the same transaction. It is locked before it is chosen:
-- if it is being canceled at this moment, the one behind it begins.
create function begin_next_operation() returns trigger language plpgsql as $$
declare
  next_id uuid;
begin
  update operations set state = 'in progress', started_at = new.ended_at, due_at = new.ended_at, updated_at = new.ended_at
   where id = (select id from operations where subject = new.subject and state = 'pending'
                order by number limit 1 for update)
  returning id into next_id;
  if found then
    perform pg_notify(current_schema() || '_wake', json_build_object('kind', 'due', 'id', next_id)::text);
  end if;
  return null;
end $$;

create trigger begin_next_operation after update of state on operations
  for each row when (old.state = 'in progress' and new.state <> 'in progress')
  execute function begin_next_operation();
