-- Written by "npm run schema" from the migrations in: engine, provisioner, broker. Do not edit.

create table bindings (
  id text not null,
  instance_id text not null,
  service_id text not null,
  plan_id text not null,
  parameters jsonb not null,
  bind_resource jsonb not null,
  predecessor_id text,
  credentials jsonb,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null
);

alter table bindings add constraint bindings_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255)));

alter table bindings add constraint bindings_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE;

alter table bindings add constraint bindings_pkey PRIMARY KEY (id);

alter table bindings add constraint credentials_expire CHECK (((credentials IS NULL) = (expires_at IS NULL)));

CREATE INDEX bindings_of_instance ON bindings USING btree (instance_id);

create table configurations (
  operation_id uuid not null,
  number bigint not null generated always as identity,
  runtime_id uuid not null,
  config jsonb not null,
  kyma jsonb,
  created_at timestamp with time zone not null default now()
);

alter table configurations add constraint configurations_pkey PRIMARY KEY (operation_id);

alter table configurations add constraint configurations_runtime_id_fkey FOREIGN KEY (runtime_id) REFERENCES runtimes(id) ON DELETE CASCADE;

CREATE INDEX configurations_of_runtime ON configurations USING btree (runtime_id, number);

create table instances (
  id text not null,
  service_id text not null,
  plan_id text not null,
  plan_name text not null,
  global_account text not null,
  subaccount text not null,
  subscription_account text,
  platform_region text not null,
  platform_provider text not null,
  provider text not null,
  region text not null,
  context jsonb not null,
  parameters jsonb not null,
  shoot_name text not null,
  shoot_domain text not null,
  dashboard_url text not null,
  runtime_id text,
  details jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  expired_at timestamp with time zone,
  deleted_at timestamp with time zone,
  maintenance_version text
);

alter table instances add constraint instances_global_account_check CHECK ((global_account <> ''::text));

alter table instances add constraint instances_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255)));

alter table instances add constraint instances_pkey PRIMARY KEY (id);

alter table instances add constraint instances_subaccount_check CHECK ((subaccount <> ''::text));

CREATE INDEX instances_of_account ON instances USING btree (global_account);

CREATE INDEX instances_of_runtime ON instances USING btree (runtime_id) WHERE (runtime_id IS NOT NULL);

CREATE INDEX instances_of_subaccount ON instances USING btree (subaccount);

CREATE UNIQUE INDEX one_instance_per_shoot ON instances USING btree (shoot_name) WHERE (shoot_name <> ''::text);

create table lms_tenants (
  name text not null,
  region text not null,
  id text not null,
  created_at timestamp with time zone not null default now()
);

alter table lms_tenants add constraint lms_tenants_pkey PRIMARY KEY (name, region);

create table operations (
  id uuid not null,
  number bigint not null generated always as identity,
  type text not null,
  subject text not null,
  account text not null default ''::text,
  lane integer not null generated always as (hashtext(((type || '/'::text) || account))) stored,
  state text not null,
  description text not null default 'Operation created'::text,
  facts jsonb not null,
  finished_stages text[] not null default '{}'::text[],
  progress jsonb not null default '{}'::jsonb,
  not_completed text[] not null default '{}'::text[],
  history_length integer not null default 0,
  error jsonb,
  stage text,
  step text,
  attempt integer,
  because text,
  system text,
  waiting_since timestamp with time zone,
  deadline timestamp with time zone,
  cancel_because text,
  claimed_by integer,
  epoch integer not null default 0,
  losses integer not null default 0,
  due_at timestamp with time zone,
  queued_ms double precision not null default 0,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02);

alter table operations add constraint never_forgotten CHECK (
CASE state
    WHEN 'pending'::text THEN ((claimed_by IS NULL) AND (due_at IS NULL) AND (ended_at IS NULL))
    WHEN 'in progress'::text THEN ((due_at IS NOT NULL) AND (started_at IS NOT NULL) AND (ended_at IS NULL))
    ELSE ((claimed_by IS NULL) AND (due_at IS NULL) AND (ended_at IS NOT NULL))
END);

alter table operations add constraint operations_pkey PRIMARY KEY (id);

alter table operations add constraint operations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'in progress'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])));

alter table operations add constraint operations_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 500)));

CREATE UNIQUE INDEX one_in_progress_per_subject ON operations USING btree (subject) WHERE (state = 'in progress'::text);

CREATE INDEX open_operations ON operations USING btree (type, state) WHERE (ended_at IS NULL);

CREATE INDEX operations_due ON operations USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX operations_of_subject ON operations USING btree (subject, number);

CREATE TRIGGER begin_next_operation AFTER UPDATE OF state ON operations FOR EACH ROW WHEN (((old.state = 'in progress'::text) AND (new.state <> 'in progress'::text))) EXECUTE FUNCTION begin_next_operation();

create table replicas (
  id integer not null generated always as identity,
  name text not null,
  started_at timestamp with time zone not null default now(),
  heartbeat_at timestamp with time zone not null default now()
);

alter table replicas add constraint replicas_pkey PRIMARY KEY (id);

create table runtimes (
  id uuid not null,
  tenant text not null,
  subaccount text not null default ''::text,
  shoot_name text not null,
  description jsonb not null,
  config jsonb not null,
  administrators jsonb not null,
  kyma jsonb,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone
);

alter table runtimes add constraint runtimes_pkey PRIMARY KEY (id);

alter table runtimes add constraint runtimes_shoot_name_check CHECK ((shoot_name <> ''::text));

alter table runtimes add constraint runtimes_tenant_check CHECK ((tenant <> ''::text));

CREATE UNIQUE INDEX one_runtime_per_shoot ON runtimes USING btree (shoot_name) WHERE (deleted_at IS NULL);

create table step_runs (
  operation_id uuid not null,
  number integer not null,
  stage text not null,
  step text not null,
  outcome text not null,
  because text,
  system text,
  error_class text,
  attempt integer not null,
  runs integer not null,
  replica text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  duration_ms double precision not null
);

alter table step_runs add constraint step_runs_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'wait'::text, 'skip'::text, 'retry'::text, 'fail'::text, 'not completed'::text, 'canceled'::text])));

alter table step_runs add constraint step_runs_pkey PRIMARY KEY (operation_id, number);

CREATE OR REPLACE FUNCTION begin_next_operation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;
