import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSubject } from './audit-words.ts';

const NOBODYS = '01900000-0000-7000-8000-000000000000';

const subjectOf = (detail: Record<string, unknown>): string =>
  describeSubject(
    {
      id: NOBODYS,
      at: 0,
      actor: 'user',
      actorId: null,
      action: 'integration.credentials.put',
      target: 'zendesk',
      detail: JSON.stringify(detail),
      address: null,
      requestId: null,
    },
    new Map(),
  );

test('details are shown in words, including nested ones', () => {
  assert.equal(
    subjectOf({ clientId: 'app-1', params: { subdomain: 'acme', region: 'eu' } }),
    'zendesk · clientId: app-1 · params: subdomain acme, region eu',
  );
  assert.equal(subjectOf({ scopes: ['read', 'write'], ended: 0 }), 'zendesk · scopes: read, write · ended: 0');
});

test('details that mean nothing to a person are left out', () => {
  assert.equal(subjectOf({ params: {}, scopes: [], account: null, name: '', id: NOBODYS }), 'zendesk');
});
