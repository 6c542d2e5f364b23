import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../../integrations/catalogue/catalogue.ts';
import { judgeEvidence } from '../../integrations/catalogue/evidence/judge-evidence.ts';
import { confidenceNote } from './confidence-note.ts';

type Known = Parameters<typeof confidenceNote>[0];

const SOURCES = { fields: 21, own: 18, checked: '2026-11-16' };
const noteOf = (confidence: Known['confidence'], unconfirmed: string[], sources: Known['sources'] = SOURCES): string =>
  String(confidenceNote({ name: 'Vendor', confidence, unconfirmed, sources }) ?? '');

test('a note says how many details the provider itself documents, and when that was checked', () => {
  assert.match(noteOf('documented', []), /18 of the 21 details .* come from Vendor&#39;s own documentation\./);
  assert.match(noteOf('documented', []), /last checked on November 16, 2026\./);
  assert.match(
    noteOf('documented', [], { fields: 9, own: 9, checked: '2026-10' }),
    />All 9 details .* in October 2026\./,
  );
  assert.doesNotMatch(noteOf('documented', []), /nobody/i);
});

test('a note says how far an entry can be trusted, and what is not confirmed', () => {
  assert.match(noteOf('recalled', ['scopes', 'requiredScopes', 'revoke.url', 'revoke.auth']), /Not everything/);
  assert.match(
    noteOf('recalled', ['scopes', 'requiredScopes', 'revoke.url', 'revoke.auth']),
    /Not confirmed: scopes, how access is revoked\.</,
  );
  assert.match(noteOf('documented', ['identity']), /has a public source\. Not confirmed: the account&#39;s name\./);
  assert.match(noteOf('confirmed', []), /tried at Vendor itself\.<\/p>$/);
  assert.equal(noteOf(null, [], null), '', "an operator's own entry");
});

test('every field that a built-in entry may leave unconfirmed has plain words', () => {
  for (const { record, evidence } of readEntries()) {
    const note = noteOf('recalled', [...judgeEvidence(record, evidence).unconfirmed]);
    assert.doesNotMatch(note.split('Not confirmed')[1] ?? '', /\w\.\w|requiredScopes|developerUrl/, record.id);
  }
});
