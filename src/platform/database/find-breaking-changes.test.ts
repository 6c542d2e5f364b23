import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreakingChanges } from './find-breaking-changes.ts';

const isSafe = (text: string): boolean => findBreakingChanges({ text }).length === 0;

test('new tables, indexes, and columns that may be left out break nothing', () => {
  const safe = [
    '-- room: teams\n-- drop table teams;\ncreate table things (id text primary key, name text not null);',
    'create table things (id text); create unique index things_id on things (id);',
    'create index teams_name on teams (name);',
    'alter table teams add column color text;',
    "alter table teams add column color text not null default 'red' check (color <> '');",
    'alter table teams\n  add column color text; update teams set color = name;',
    "insert into things (id) values ('a');",
    'create table other (id text); delete from other; drop table other;',
    `alter table teams rename to old; create table teams (id text, name text);
     insert into teams (id, name) select id, name from old; drop table old;`,
  ];
  assert.deepEqual(
    safe.filter((text) => !isSafe(text)),
    [],
  );
});

test('everything else does', () => {
  const breaking = [
    'drop table teams;',
    'drop index teams_name;',
    'alter table teams drop column name;',
    'alter table teams rename to groups;',
    'ALTER TABLE teams RENAME COLUMN name TO title;',
    'alter table teams add column color text not null;',
    'alter table teams alter column name set not null;',
    'create unique index teams_name on teams (name);',
    'create table other (id text); drop table teams;',
    'delete from teams;',
    'alter table teams rename to old; create table teams (id text); drop table old;',
    'alter table teams rename to old; create table groups (id text); insert into teams (id) select id from old; drop table old;',
    "alter table teams rename to old; create table teams (id text); insert into teams (id) select id from old where id > 'a'; drop table old;",
    'alter table teams rename to old; create table teams (id text); insert into teams (id) select name from old; drop table old;',
    'alter table teams rename to old; create table teams (id text); insert into teams (id) select id from old; drop table users;',
    'create trigger t before insert on teams begin select 1; end;',
  ];
  assert.deepEqual(breaking.filter(isSafe), []);
  assert.deepEqual(findBreakingChanges({ text: 'create table a (id text);\nDROP TABLE\n  teams;' }), [
    'drop table teams',
  ]);
});
