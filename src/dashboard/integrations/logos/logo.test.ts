import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEntries } from '../../../integrations/catalogue/catalogue.ts';
import { inkOn, logo } from './logo.ts';

describe('the logo of a provider', () => {
  test('is drawn for every built-in entry that names one, in colors that its policy allows', () => {
    const named = readEntries().filter(({ record }) => record.logo !== undefined);
    assert.ok(named.length >= 50);
    for (const { record } of named) {
      const drawn = logo(record).toString();
      assert.match(drawn, /^<svg class="logo" viewBox="-8 -8 40 40" aria-hidden="true" fill="#(?:fff|1d2126)">/);
      assert.doesNotMatch(drawn, /style=/);
    }
  });

  test('is its initials if there is none, also for the ids that objects have', () => {
    assert.match(logo({ id: 'acme', name: 'Acme' }).toString(), />Ac<\/span>$/);
    assert.match(logo({ id: 'constructor', name: 'Constructor' }).toString(), />Co<\/span>$/);
  });

  test('is white on dark brands and dark on bright ones', () => {
    for (const dark of ['#000000', '#181717', '#0052cc', '#f24e1e']) assert.equal(inkOn(dark), '#fff', dark);
    for (const bright of ['#ffffff', '#ffe01b', '#6afdef', '#1ed760']) assert.equal(inkOn(bright), '#1d2126', bright);
  });
});
