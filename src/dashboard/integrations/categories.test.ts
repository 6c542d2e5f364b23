import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CATEGORIES, categoryOf, findCategory, isKnownCategory, slugOf } from './categories.ts';

describe('the categories of the catalog', () => {
  test('are twelve at most', () => assert.ok(CATEGORIES.length <= 12));

  test('are found by what the URL says, and nothing else is', () => {
    for (const category of CATEGORIES) assert.equal(findCategory(slugOf(category)), category);
    for (const other of ['', 'constructor', 'Mail and calendar']) assert.equal(findCategory(other), null);
    assert.equal(categoryOf('toString'), 'Other');
    assert.equal(isKnownCategory('toString'), false);
    assert.equal(isKnownCategory('media'), true);
  });
});
