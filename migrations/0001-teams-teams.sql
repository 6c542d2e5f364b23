-- room: teams
create table teams (
  id text primary key,
  name text not null
);
