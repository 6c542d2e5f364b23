-- room: telephony
-- Audio of erased teams that the storage could not remove in time. Nothing else is left of them; the key names the object.
create table audio_to_remove (
  object_key text primary key,
  since bigint not null
);
