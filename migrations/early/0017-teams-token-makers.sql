-- room: teams
-- Made on the command line, and so by the operator. Others may be from whoever used a link that was handed over: they end
-- when the owner of the address comes.
alter table access_tokens add column by_operator bigint not null default 0 check (by_operator in (0, 1));
update access_tokens set by_operator = 1
  where id in (select target from audit_events where action = 'token.create' and actor = 'command_line');
