import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AuditEvent } from '../../../teams/index.ts';
import {
  ACTION_GROUPS,
  approvalOf,
  callOf,
  describeAction,
  describeActor,
  describeSubject,
  recordedAtOf,
} from './audit-words.ts';

const NOBODYS = '01900000-0000-7000-8000-000000000000';

const EVENT: AuditEvent = {
  id: NOBODYS,
  at: 0,
  actor: 'user',
  actorId: null,
  action: 'integration.credentials.put',
  target: 'zendesk',
  detail: null,
  address: null,
  requestId: null,
};

const PEOPLE = {
  names: new Map([
    ['ann', 'Ann'],
    ['itself', 'Operator'],
    ['namesake', 'Operator'],
  ]),
  operatorId: 'itself',
};

const subjectOf = (detail: Record<string, unknown>): string =>
  describeSubject({ ...EVENT, detail: JSON.stringify(detail) }, PEOPLE);

const actorOf = (actor: AuditEvent['actor'], actorId: string | null): string =>
  describeActor({ ...EVENT, actor, actorId }, PEOPLE);

test('details are shown in words, including nested ones', () => {
  assert.equal(
    subjectOf({ clientId: 'app-1', params: { subdomain: 'acme', region: 'eu' } }),
    'zendesk · client ID: app-1 · params: subdomain acme, region eu',
  );
  assert.equal(subjectOf({ mailed: false, isOwn: true }), 'zendesk · mailed: no · is own: yes');
  assert.equal(subjectOf({ scopes: ['read', 'write'], ended: 0 }), 'zendesk · scopes: read, write · ended: 0');
});

test('what a restricted token did is not said of its user, and leads to what it asked for', () => {
  const asked = { ...EVENT, actorId: 'ann', action: 'approval.request', target: 'a1', detail: '{"token":"agent"}' };
  assert.equal(describeActor(asked, PEOPLE), 'Token “agent” of Ann');
  assert.equal(describeSubject(asked, PEOPLE), 'a1');
  assert.equal(approvalOf(asked), 'a1');
  assert.equal(approvalOf({ ...asked, action: 'token.create' }), null);
  const approved = { ...asked, action: 'approval.approve', detail: '{"askedBy":"agent"}' };
  assert.equal(describeActor(approved, PEOPLE), 'Ann');
  assert.equal(describeSubject(approved, PEOPLE), 'a1 · asked by: agent');
});

test('details that mean nothing to a person are left out', () => {
  assert.equal(subjectOf({ params: {}, scopes: [], account: null, name: '', id: NOBODYS }), 'zendesk');
});

test('only the fields that were changed are listed, by their labels', () => {
  assert.equal(subjectOf({ fields: ['timeZone', 'retention'] }), 'zendesk · changed: time zone, retention');
});

test('what was done with a call or a recording leads to the call', () => {
  const about = (action: string, detail: object | null) =>
    callOf({ ...EVENT, action, target: 'target', detail: detail && JSON.stringify(detail) });
  assert.equal(about('call.returned', null), 'target');
  assert.equal(about('recording.listen', { call: 'the-call' }), 'the-call');
  assert.equal(about('recording.listen', null), null);
  assert.equal(about('token.create', { call: 'the-call' }), null);
  const detail = JSON.stringify({ call: NOBODYS, recordedAt: '2026-11-16T15:02:00.000Z' });
  const listened = { ...EVENT, action: 'recording.listen', target: NOBODYS, detail };
  assert.equal(recordedAtOf(listened), Date.parse('2026-11-16T15:02:00Z'));
  assert.equal(describeSubject(listened, PEOPLE), '', 'The page shows the time.');
  assert.equal(recordedAtOf(EVENT), null);
});

test('what the operator does for a user is not shown as the user’s own doing', () => {
  assert.equal(actorOf('user', 'ann'), 'Ann');
  assert.equal(actorOf('operator', 'ann'), 'Operator, for Ann');
  assert.equal(actorOf('operator', 'namesake'), 'Operator, for Operator');
  assert.equal(actorOf('operator', 'removed'), 'Operator, for a former member');
  assert.equal(actorOf('operator', 'itself'), 'Operator');
  assert.equal(actorOf('operator', null), 'Operator');
});

test('every action that is recorded for a team has words, and the filter offers it', () => {
  const lines = globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => /\baction\b/.test(line));
  const actionsIn = (some: readonly string[]) =>
    some.flatMap((line) => [...line.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, action = '']) => action));
  // Actions that are recorded without a team appear on no team's page.
  const teamless = new Set(actionsIn(lines.filter((line) => /recordAudit\(\w+, \w+, null,/.test(line))));
  const actions = new Set(actionsIn(lines).filter((action) => !teamless.has(action)));
  assert.ok(actions.size >= 36, `Only ${actions.size} actions were found.`);
  const offered = new Set(ACTION_GROUPS.flatMap(({ options }) => options.map(({ value }) => value)));
  assert.deepEqual(
    [...actions].filter((action) => describeAction({ action }) === action || !offered.has(action)),
    [],
  );
});
