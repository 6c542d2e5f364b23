import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createEventLoopTurns, Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { CallPlace } from '../calls/call-filter.ts';
import type { SealedCall } from '../calls/call-list-store.ts';
import { nameParty, toParty } from '../contract/party.ts';
import { createMatcher, MOST_SEARCHED, searchCalls } from './search-calls.ts';
import type { FindHeard } from './transcript-search.ts';

const PHARMACY = nameParty(toParty('+4930123456'), 'Löwen-Apotheke 24');

test('any part of a number or a name finds a caller, however it is written', () => {
  for (const text of ['3012', '030 123', '+49 30', '(030) 1234-56', 'apo', 'LOWEN', 'löwen', ' Apotheke 24 ', '24'])
    assert.ok(createMatcher(text)(PHARMACY), text);
  for (const text of ['124', '031', 'bären', '%', '_', '.*']) assert.ok(!createMatcher(text)(PHARMACY), text);
  assert.ok(createMatcher('jane')(toParty('sip:Jane@example.test')));
  assert.ok(!createMatcher('jane')(null));
});

describe('a search through many calls', () => {
  const PIECE = 100;
  const turns = createEventLoopTurns(1_000);
  /** A vault that seals nothing. */
  const vault = { open: async (_team: string, _place: object, text: string) => new Secret(text) } as unknown as Vault;

  /** The calls in which the text was said. */
  const heard = new Set<string>();
  const findHeard: FindHeard = async (calls) => new Set(calls.map(({ id }) => id).filter((id) => heard.has(id)));

  const sealed = (index: number, caller: number): SealedCall => ({
    id: String(index),
    teamId: 'team',
    accountId: 'account',
    externalId: `CA${index}`,
    ownHash: 'ours',
    direction: 'inbound',
    startedAt: 1_000_000 - index,
    otherHash: `caller ${caller}`,
    otherParty: JSON.stringify(toParty(`+1555${String(caller).padStart(7, '0')}`)),
  });

  /** Searches made-up calls, newest first. `callerOf` says who made each call. */
  const search = (
    text: string,
    total: number,
    callerOf: (index: number) => number,
    { limit = 3, after, onPage }: { limit?: number; after?: CallPlace | null; onPage?: () => void } = {},
  ) => {
    const readPage = async (place: CallPlace | undefined, most: number) => {
      onPage?.();
      const from = place ? Number(place.id) + 1 : 0;
      const count = Math.min(most, total - from);
      return Array.from({ length: count }, (_, index) => sealed(from + index, callerOf(from + index)));
    };
    return searchCalls(
      { vault, turns },
      { text, limit, after: after ?? undefined, isLabeled: () => false, findHeard, readPage },
    );
  };

  test('goes from page to page until it has found enough, and goes on from there', async () => {
    const callerOf = (index: number): number => (index % 90 === 89 ? 9_876_543 : index);
    const first = await search('9876543', 1_000, callerOf);
    assert.deepEqual([first.ids, first.searched, first.last?.id], [['89', '179', '269'], 270, '269']);
    const second = await search('9876543', 1_000, callerOf, { after: first.last, limit: 100 });
    assert.deepEqual(second.ids, ['359', '449', '539', '629', '719', '809', '899', '989']);
    assert.deepEqual([second.searched, second.last], [730, null]);
  });

  test('finds what was said in a call, too', async () => {
    for (const id of ['7', '1400']) heard.add(id);
    const { ids, searched } = await search('fence', 1_500, (index) => index, { limit: 10 });
    heard.clear();
    assert.deepEqual([ids, searched], [['7', '1400'], 1_500]);
  });

  test('is through after the last call, also if that fills a page', async () => {
    for (const total of [0, 1, 2 * PIECE, 2 * PIECE + 1]) {
      const { ids, searched, last } = await search('999', total, () => 1);
      assert.deepEqual([ids, searched, last], [[], total, null]);
    }
  });

  test('looks at a limited number of calls, opens fewer, and takes a limited time', async (context) => {
    let passedMs = 0;
    context.mock.method(performance, 'now', () => passedMs);
    const ofOne = await search('999', 2 * MOST_SEARCHED, () => 1);
    assert.deepEqual([ofOne.searched, ofOne.last?.id], [MOST_SEARCHED, String(MOST_SEARCHED - 1)]);
    const ofMany = await search('9999999', MOST_SEARCHED, (index) => index);
    assert.deepEqual([ofMany.searched, ofMany.last?.id], [20_000, '19999']);
    const onPage = (): void => {
      passedMs += 400;
    };
    const slow = await search('999', MOST_SEARCHED, () => 1, { onPage });
    assert.deepEqual([slow.searched, slow.last?.id], [4 * PIECE, String(4 * PIECE - 1)]);
  });
});
