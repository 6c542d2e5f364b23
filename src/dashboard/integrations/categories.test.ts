import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEntries } from '../../integrations/catalogue/catalogue.ts';
import { CATEGORIES, categoryOf, findCategory, slugOf } from './categories.ts';

describe('the categories of the catalog', () => {
  test('are twelve at most', () => assert.ok(CATEGORIES.length <= 12));

  test('have a place for every built-in entry', () => {
    const lost = readEntries().flatMap(({ record: { id, category = 'other' } }) =>
      categoryOf(category) === 'Other' && !['fitness', 'media', 'other'].includes(category)
        ? [`${id}: ${category}`]
        : [],
    );
    assert.deepEqual(lost, []);
  });

  test('are found by what the URL says, and nothing else is', () => {
    for (const category of CATEGORIES) assert.equal(findCategory(slugOf(category)), category);
    for (const other of ['', 'constructor', 'Mail and calendar']) assert.equal(findCategory(other), null);
    assert.equal(categoryOf('toString'), 'Other');
  });
});
