import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAll, readPage } from './list-page.ts';
import { Refusal } from './refusal.ts';

const WORDS = ['a', 'b', 'c', 'd', 'e'];

const listing = {
  read: async (after: string | null, limit: number) =>
    WORDS.filter((word) => after === null || word > after).slice(0, limit),
  keyOf: (word: string) => word,
  shape: /^[a-e]$/,
  refuseCursor: () => new Refusal(400, 'words.cursor_invalid', 'Not one of ours.'),
};

test('pages follow each other without gaps, and the last one has no cursor', async () => {
  const first = await readPage({ limit: 2 }, listing);
  assert.deepEqual(first.rows, ['a', 'b']);
  const second = await readPage({ limit: 2, cursor: first.nextCursor ?? '' }, listing);
  assert.deepEqual(second.rows, ['c', 'd']);
  const third = await readPage({ limit: 2, cursor: second.nextCursor ?? '' }, listing);
  assert.deepEqual(third, { rows: ['e'], nextCursor: null });
  assert.deepEqual(await readPage({ limit: 5 }, listing), { rows: WORDS, nextCursor: null });
});

test('an invalid cursor is rejected', async () => {
  for (const cursor of ['', 'z', Buffer.from('f').toString('base64url')])
    await assert.rejects(readPage({ limit: 2, cursor }, listing), { code: 'words.cursor_invalid' });
});

test('a whole list is read page by page', async () => {
  const limits: number[] = [];
  const all = await readAll((query) => {
    limits.push(query.limit);
    return readPage({ ...query, limit: 2 }, listing);
  });
  assert.deepEqual(all, WORDS);
  assert.deepEqual(limits, [100, 100, 100]);
});
