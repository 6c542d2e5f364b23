import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../../integrations/catalogue/catalogue.ts';
import { judgeEvidence } from '../../integrations/catalogue/evidence/judge-evidence.ts';
import { confidenceNote } from './confidence-note.ts';

const noteOf = (...[confidence, unconfirmed]: [Parameters<typeof confidenceNote>[0]['confidence'], string[]]): string =>
  String(confidenceNote({ name: 'Vendor', confidence, unconfirmed }) ?? '');

test('a note says how far an entry can be trusted, and what is not confirmed', () => {
  assert.match(noteOf('recalled', ['scopes', 'requiredScopes', 'revoke.url', 'revoke.auth']), /Not everything/);
  assert.match(
    noteOf('recalled', ['scopes', 'requiredScopes', 'revoke.url', 'revoke.auth']),
    /Not confirmed: scopes, how access is revoked\.</,
  );
  assert.match(noteOf('documented', ['identity']), /public sources.* Not confirmed: the account&#39;s name\./);
  assert.match(noteOf('confirmed', []), /tried this entry at Vendor itself\.<\/p>$/);
  assert.equal(noteOf(null, []), '', "an operator's own entry");
});

test('every field that a built-in entry may leave unconfirmed has plain words', () => {
  for (const { record, evidence } of readEntries()) {
    const note = noteOf('recalled', [...judgeEvidence(record, evidence).unconfirmed]);
    assert.doesNotMatch(note.split('Not confirmed')[1] ?? '', /\w\.\w|requiredScopes|developerUrl/, record.id);
  }
});
