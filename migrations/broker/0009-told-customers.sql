-- Customers are told of an upgrade first, and then it is noted that they were. So it is on record before that somebody is about to
-- tell them: whoever finds that nobody has noted the end of it tells them once more, and whoever cancels the upgrade waits for it.

alter table orchestration_operations
  add column times_told integer not null default 0, -- at most; of an upgrade that has not said by itself that it begins
  add column telling_until timestamptz; -- until then somebody may be telling them

update orchestration_operations u set times_told = 1
  from orchestrations o
 where o.id = u.orchestration_id and o.ended_at is null and u.notification = 'created' and u.state in ('pending', 'canceled');
