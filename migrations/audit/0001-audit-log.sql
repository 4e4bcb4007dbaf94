-- Who did what, for those who have to answer for it. Each entry holds the hash of the one before, and the head says where the
-- chain ends: whatever is changed, left out, put in between or cut off afterwards no longer fits, and
-- src/audit/verify-chain.ts finds it. Whoever may change everything could still write the whole chain anew; a head
-- that was noted elsewhere shows that, too.

create table audit_log (
  number bigint primary key,
  at timestamptz not null,
  actor text not null,
  client text not null,
  action text not null,
  subject text not null,
  outcome text not null,
  request_id text not null,
  -- Not jsonb: the hash is that of the text as it was written.
  details json not null,
  previous text not null,
  hash text not null
);

create index audit_log_at on audit_log (at);
create index audit_log_actor on audit_log (actor, number);
create index audit_log_subject on audit_log (subject, number);

-- The last entry. Its row is also the lock under which replicas append, one after the other.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  number bigint not null,
  hash text not null
);
insert into audit_head (number, hash) values (0, repeat('0', 64));

-- A text and its length, so that no two entries have the same content in one long text.
create function audit_part(part text) returns text language sql immutable
  return octet_length(part) || ':' || part;

-- Appends all entries in the order in which they are given, and returns the new head. One call, one transaction: the
-- row of the head is locked no longer than that takes.
create function append_to_audit_log(entries json, out number bigint, out hash text) language plpgsql as $$
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
end $$;

create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is appended to, and nothing else';
end $$;

create trigger audit_log_stays before update or delete or truncate on audit_log
  for each statement execute function refuse_change_of_audit_log();
create trigger audit_head_stays before delete or truncate on audit_head
  for each statement execute function refuse_change_of_audit_log();
create trigger audit_head_goes_on before update on audit_head
  for each row when (new.number <= old.number) execute function refuse_change_of_audit_log();
