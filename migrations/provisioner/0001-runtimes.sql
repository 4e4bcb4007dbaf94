-- What is known of each runtime besides its operations. The id is Director's, where there is a Director.

create table runtimes (
  id             uuid primary key,
  tenant         text not null check (tenant <> ''),
  subaccount     text not null default '',
  shoot_name     text not null check (shoot_name <> ''),
  description    jsonb not null, -- what Director is told: name, description, labels
  config         jsonb not null, -- what was applied to the Shoot, or is being applied
  administrators jsonb not null, -- sealed
  kyma           jsonb,          -- sealed; null for a cluster alone
  created_at     timestamptz not null default now(),
  deleted_at     timestamptz
);

-- A Shoot belongs to one runtime, also for those who ask at the same moment.
create unique index one_runtime_per_shoot on runtimes (shoot_name) where deleted_at is null;

-- Every configuration that was in force, by the operation that put it there: a step that runs twice leaves one row.
create table configurations (
  operation_id uuid primary key,
  number       bigint generated always as identity,
  runtime_id   uuid not null references runtimes on delete cascade,
  config       jsonb not null,
  kyma         jsonb, -- sealed
  created_at   timestamptz not null default now()
);
create index configurations_of_runtime on configurations (runtime_id, number);
