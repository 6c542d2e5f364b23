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

test('a page of very large rows has fewer of them, but never none', async () => {
  const rows = ['a', 'b', 'c', 'd'].map((id, index) => ({ id, text: 'x'.repeat((index + 1) * 100_000) }));
  const read = async (after: string | null, limit: number) =>
    rows.filter(({ id }) => after === null || id > after).slice(0, limit);
  const pages: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await readPage({ limit: 3, cursor }, { ...listing, read, keyOf: ({ id }) => id });
    pages.push(page.rows.map(({ id }) => id).join(''));
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages, ['a', 'b', 'c', 'd']);
  const short = rows.map(({ id }) => ({ id, text: 'x'.repeat(80_000) }));
  const { rows: three, nextCursor } = await readPage(
    { limit: 4 },
    { ...listing, read: async () => short, keyOf: ({ id }) => id },
  );
  assert.equal(three.length, 3);
  assert.equal(Buffer.from(nextCursor ?? '', 'base64url').toString(), 'c');
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
