-- room: telephony
-- Deliveries from before their ids needed the team's key, once their payload is erased: they get such an id, too. The
-- payload of the others opens only with the id they have.
create index deliveries_unkeyed on deliveries (team_id, id) where payload is null and length(id) = 43;
