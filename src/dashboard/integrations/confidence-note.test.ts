import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../../integrations/catalogue/catalogue.ts';
import { judgeEvidence } from '../../integrations/catalogue/evidence/judge-evidence.ts';
import { confidenceNote } from './confidence-note.ts';

type Known = Parameters<typeof confidenceNote>[0];

const SOURCES = { fields: 21, own: 18, checked: '2026-11-16' };
const noteOf = (confidence: Known['confidence'], unconfirmed: string[], sources: Known['sources'] = SOURCES): string =>
  String(confidenceNote({ name: 'Vendor', confidence, unconfirmed, sources }) ?? '');

test('a note is one statement: what is known, from where, and when it was checked', () => {
  assert.equal(
    noteOf('referenced', []),
    '<p>Patchbay has public sources for what matters most when it connects to Vendor, last checked on November 16, 2026. ' +
      '18 of the 21 details that Patchbay uses, such as addresses and scopes, are in Vendor&#39;s own documentation.</p>',
  );
  const month = { fields: 9, own: 9, checked: '2026-10' };
  assert.match(noteOf('referenced', [], month), /Vendor, last checked in October 2026\. All 9 details/);
  const foreign = noteOf('referenced', [], { ...SOURCES, own: 0 });
  assert.match(foreign, /has public sources .*\. They don&#39;t include Vendor&#39;s own documentation\.<\/p>$/);
  assert.doesNotMatch(foreign, /\b0\b/);
  assert.equal(
    noteOf('documented', []),
    '<p>Vendor&#39;s own documentation has everything that Patchbay relies on, last checked on November 16, 2026. Nobody has tried it yet.</p>',
  );
  assert.match(noteOf('confirmed', []), /^<p>Connecting has been tried at Vendor itself\./);
  assert.equal(noteOf(null, [], null), '', "an operator's own entry");
});

test('a note says what has no source, and whether that may keep one from connecting', () => {
  const partly = noteOf('recalled', ['scopes', 'requiredScopes', 'revoke.url', 'revoke.auth']);
  assert.match(
    partly,
    /^<p>Patchbay has public sources for only a part of what it needs to connect to Vendor, last checked/,
  );
  assert.match(
    partly,
    /These have no source yet, so look at them first if connecting fails: scopes, how access is revoked\.<\/p>$/,
  );
  const later = noteOf('referenced', ['identity']);
  assert.match(later, / These have no source yet and may turn out to be different: the account&#39;s name\.<\/p>$/);
});

test('every field that a built-in entry may leave unconfirmed has plain words', () => {
  for (const { record, evidence } of readEntries()) {
    const note = noteOf('recalled', [...judgeEvidence(record, evidence).unconfirmed]);
    assert.doesNotMatch(note.split('no source yet')[1] ?? '', /\w\.\w|requiredScopes|developerUrl/, record.id);
  }
});
