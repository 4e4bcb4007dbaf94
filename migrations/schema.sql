-- Written by "npm run schema" from the migrations in: engine, audit, provisioner, broker. Do not edit.

create table archived_instances (
  number bigint not null generated always as identity,
  instance_id text not null,
  global_account text not null,
  subaccount text not null,
  subscription_account text,
  plan_id text not null,
  plan_name text not null,
  subaccount_region text not null,
  region text not null,
  provider text not null,
  last_runtime_id text,
  shoot_name text not null,
  is_internal_user boolean not null,
  provisioning_started_at timestamp with time zone,
  provisioning_ended_at timestamp with time zone,
  provisioning_state text,
  deprovisioning_started_at timestamp with time zone,
  deprovisioning_ended_at timestamp with time zone,
  removed_at timestamp with time zone not null,
  last_operation bigint,
  operations_removed_at timestamp with time zone
);

alter table archived_instances add constraint archived_instances_pkey PRIMARY KEY (number);

CREATE INDEX archived_instances_by_id ON archived_instances USING btree (instance_id);

CREATE INDEX archived_instances_with_operations ON archived_instances USING btree (removed_at) WHERE (operations_removed_at IS NULL);

create table audit_head (
  is_only boolean not null default true,
  number bigint not null,
  hash text not null
);

alter table audit_head add constraint audit_head_is_only_check CHECK (is_only);

alter table audit_head add constraint audit_head_pkey PRIMARY KEY (is_only);

CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head FOR EACH ROW WHEN ((new.number <= old.number)) EXECUTE FUNCTION refuse_change_of_audit_log();

CREATE TRIGGER audit_head_stays BEFORE DELETE OR TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();

create table audit_log (
  number bigint not null,
  at timestamp with time zone not null,
  actor text not null,
  client text not null,
  action text not null,
  subject text not null,
  outcome text not null,
  request_id text not null,
  details json not null,
  previous text not null,
  hash text not null
);

alter table audit_log add constraint audit_log_pkey PRIMARY KEY (number);

CREATE INDEX audit_log_actor ON audit_log USING btree (actor, number);

CREATE INDEX audit_log_at ON audit_log USING btree (at);

CREATE INDEX audit_log_subject ON audit_log USING btree (subject, number);

CREATE TRIGGER audit_log_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();

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

CREATE INDEX expired_bindings ON bindings USING btree (expires_at) WHERE (expires_at IS NOT NULL);

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
  maintenance_version text,
  searched text generated always as (lower(((((((((((id || ' '::text) || COALESCE(runtime_id, ''::text)) || ' '::text) || shoot_name) || ' '::text) || global_account) || ' '::text) || subaccount) || ' '::text) || COALESCE((parameters ->> 'name'::text), ''::text)))) stored,
  empty_updates integer not null default 0
);

alter table instances add constraint instances_global_account_check CHECK ((global_account <> ''::text));

alter table instances add constraint instances_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255)));

alter table instances add constraint instances_pkey PRIMARY KEY (id);

alter table instances add constraint instances_subaccount_check CHECK ((subaccount <> ''::text));

CREATE INDEX instances_by_age ON instances USING btree (plan_name, created_at) WHERE (deleted_at IS NULL);

CREATE INDEX instances_by_change ON instances USING btree (updated_at, id);

CREATE INDEX instances_by_plan ON instances USING btree (plan_name, id);

CREATE INDEX instances_by_region ON instances USING btree (region, id);

CREATE INDEX instances_by_secret ON instances USING btree (((details ->> 'targetSecret'::text))) WHERE (details ? 'targetSecret'::text);

CREATE INDEX instances_in_time ON instances USING btree (created_at, id);

CREATE INDEX instances_of_account ON instances USING btree (global_account);

CREATE INDEX instances_of_runtime ON instances USING btree (runtime_id) WHERE (runtime_id IS NOT NULL);

CREATE INDEX instances_of_subaccount ON instances USING btree (subaccount);

CREATE INDEX instances_with_empty_updates ON instances USING btree (empty_updates) WHERE (empty_updates > 0);

CREATE UNIQUE INDEX one_instance_per_shoot ON instances USING btree (shoot_name) WHERE (shoot_name <> ''::text);

create table job_runs (
  id uuid not null,
  job text not null,
  trigger text not null,
  due_at timestamp with time zone,
  started_by text,
  dry_run boolean not null,
  state text not null default 'in progress'::text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  cursor text,
  counts jsonb not null default '{}'::jsonb,
  entries jsonb not null default '[]'::jsonb,
  summary text not null default ''::text
);

alter table job_runs add constraint ended_or_not CHECK (((state = 'in progress'::text) = (ended_at IS NULL)));

alter table job_runs add constraint job_runs_pkey PRIMARY KEY (id);

alter table job_runs add constraint job_runs_state_check CHECK ((state = ANY (ARRAY['in progress'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])));

alter table job_runs add constraint job_runs_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'by hand'::text])));

alter table job_runs add constraint one_run_per_due_time UNIQUE (job, due_at);

CREATE INDEX open_job_runs ON job_runs USING btree (job) WHERE (ended_at IS NULL);

CREATE INDEX runs_of_job ON job_runs USING btree (job, started_at DESC);

create table job_schedules (
  job text not null,
  schedule text not null,
  next_due_at timestamp with time zone not null
);

alter table job_schedules add constraint job_schedules_pkey PRIMARY KEY (job);

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
  ended_at timestamp with time zone,
  skips jsonb not null default '{}'::jsonb,
  fingerprint text generated always as (
CASE
    WHEN (error IS NOT NULL) THEN substr(md5(((((((((type || '/'::text) || COALESCE((error ->> 'step'::text), ''::text)) || '/'::text) || COALESCE((error ->> 'system'::text), ''::text)) || '/'::text) || COALESCE((error ->> 'class'::text), ''::text)) || '/'::text) || COALESCE((error ->> 'reason'::text), ''::text))), 1, 16)
    ELSE NULL::text
END) stored
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

CREATE INDEX operations_by_failure ON operations USING btree (fingerprint) WHERE (fingerprint IS NOT NULL);

CREATE INDEX operations_due ON operations USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX operations_ended ON operations USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX operations_in_time ON operations USING btree (created_at, number);

CREATE INDEX operations_of_subject ON operations USING btree (subject, number) INCLUDE (type, state);

CREATE INDEX removals ON operations USING btree (subject, number) WHERE ((type = 'deprovision'::text) AND (state = 'succeeded'::text));

CREATE TRIGGER begin_next_operation AFTER UPDATE OF state ON operations FOR EACH ROW WHEN (((old.state = 'in progress'::text) AND (new.state <> 'in progress'::text))) EXECUTE FUNCTION begin_next_operation();

create table orchestration_operations (
  operation_id uuid not null,
  orchestration_id uuid not null,
  instance_id text not null,
  attempt integer not null,
  superseded boolean not null default false,
  runtime_id text not null,
  global_account text not null,
  subaccount text not null,
  plan_id text not null,
  plan_name text not null,
  region text not null,
  shoot_name text not null,
  wave integer not null,
  window_days text[],
  window_opens text,
  window_closes text,
  window_begin timestamp with time zone,
  window_end timestamp with time zone,
  not_before timestamp with time zone,
  state text not null,
  description text not null,
  notification text not null default ''::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  times_told integer not null default 0,
  telling_until timestamp with time zone
);

alter table orchestration_operations add constraint a_window_is_whole CHECK (((window_begin IS NULL) = (window_end IS NULL)));

alter table orchestration_operations add constraint one_per_attempt UNIQUE (orchestration_id, instance_id, attempt);

alter table orchestration_operations add constraint orchestration_operations_notification_check CHECK ((notification = ANY (ARRAY[''::text, 'pending'::text, 'created'::text, 'cancelled'::text])));

alter table orchestration_operations add constraint orchestration_operations_orchestration_id_fkey FOREIGN KEY (orchestration_id) REFERENCES orchestrations(id) ON DELETE CASCADE;

alter table orchestration_operations add constraint orchestration_operations_pkey PRIMARY KEY (operation_id);

alter table orchestration_operations add constraint orchestration_operations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'in progress'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])));

alter table orchestration_operations add constraint orchestration_operations_wave_check CHECK ((wave >= 1));

CREATE INDEX orchestration_operations_by_state ON orchestration_operations USING btree (orchestration_id, state, wave);

CREATE INDEX orchestration_operations_of_instance ON orchestration_operations USING btree (instance_id);

create table orchestrations (
  id uuid not null,
  number bigint not null generated always as identity,
  type text not null,
  state text not null,
  description text not null,
  parameters jsonb not null,
  schedule_time timestamp with time zone,
  paused_because text,
  forgiven integer not null default 0,
  begun_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone
);

alter table orchestrations add constraint a_pause_has_a_reason CHECK (((state = 'paused'::text) = (paused_because IS NOT NULL)));

alter table orchestrations add constraint an_end_has_a_time CHECK (((state = ANY (ARRAY['canceled'::text, 'succeeded'::text, 'failed'::text])) = (ended_at IS NOT NULL)));

alter table orchestrations add constraint orchestrations_pkey PRIMARY KEY (id);

alter table orchestrations add constraint orchestrations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'in progress'::text, 'retrying'::text, 'paused'::text, 'canceling'::text, 'canceled'::text, 'succeeded'::text, 'failed'::text])));

alter table orchestrations add constraint orchestrations_type_check CHECK ((type = ANY (ARRAY['upgradeKyma'::text, 'upgradeCluster'::text])));

CREATE UNIQUE INDEX orchestrations_in_order ON orchestrations USING btree (number);

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

CREATE OR REPLACE FUNCTION append_to_audit_log(entries json, OUT number bigint, OUT hash text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  entry record;
  moment timestamptz;
  before text;
begin
  select head.number, head.hash into strict number, hash from audit_head head for update;
  for entry in
    select * from json_to_recordset(entries) as given (
      actor text, client text, action text, subject text, outcome text, request_id text, details text)
  loop
    moment := date_trunc('milliseconds', clock_timestamp());
    before := hash;
    number := number + 1;
    hash := encode(sha256(convert_to(
      audit_part(before)
        || audit_part(number::text)
        || audit_part(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        || audit_part(entry.actor)
        || audit_part(entry.client)
        || audit_part(entry.action)
        || audit_part(entry.subject)
        || audit_part(entry.outcome)
        || audit_part(entry.request_id)
        || audit_part(entry.details),
      'UTF8')), 'hex');
    insert into audit_log values (
      number, moment, entry.actor, entry.client, entry.action, entry.subject, entry.outcome,
      entry.request_id, entry.details::json, before, hash);
  end loop;
  update audit_head head set number = append_to_audit_log.number, hash = append_to_audit_log.hash;
end $function$;

CREATE OR REPLACE FUNCTION audit_part(part text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ((octet_length(part) || ':'::text) || part);

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

CREATE OR REPLACE FUNCTION refuse_change_of_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is appended to, and nothing else';
end $function$;
