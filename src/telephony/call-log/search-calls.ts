import { stopIfAbandoned } from '../../platform/index.ts';
import type { CallPlace } from '../calls/call-filter.ts';
import type { SealedCall } from '../calls/call-list-store.ts';
import { createPartyCheck } from '../calls/call-parties.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { fold } from './fold.ts';

/** How many calls one search looks through, however few match. */
export const MOST_SEARCHED = 100_000;
/** How many of them it opens. */
const MOST_OPENED = 20_000;
/** How long one search goes on, so that nobody waits in vain on a busy machine. */
const MOST_MS = 1_500;
/** How many are read at once. Others get a turn in between. */
const PIECE = 100;

/** Whether the text is part of someone's number or name. */
export const createMatcher = (text: string): ((party: Party | null) => boolean) => {
  const words = fold(text.trim());
  // A number at home begins with a zero that it doesn't have abroad.
  const digits = /^[+\d\s()./-]+$/.test(words) ? words.replace(/\D/g, '').replace(/^0+(?=\d)/, '') : '';
  return (party) =>
    party !== null &&
    ((digits !== '' && party.value.replace(/\D/g, '').includes(digits)) ||
      (digits === '' && fold(party.value).includes(words)) ||
      (party.name !== undefined && fold(party.name).includes(words)));
};

export type Search = {
  text: string;
  limit: number;
  after: CallPlace | undefined;
  /** Whether the label of the team's number fits, so that nothing has to be opened. */
  isLabeled(call: SealedCall): boolean;
  /** The calls to look through, newest first. */
  readPage(after: CallPlace | undefined, limit: number): Promise<readonly SealedCall[]>;
};

/**
 * Numbers and names are sealed, so a search looks at one call after the other, newest first. It ends with what it found when
 * it has found or seen enough; `last` is where to go on, or null if there is nothing left.
 */
export const searchCalls = async (
  { vault, turns }: Pick<TelephonyContext, 'vault' | 'turns'>,
  { text, limit, after, isLabeled, readPage }: Search,
): Promise<{ ids: string[]; searched: number; last: CallPlace | null }> => {
  const parties = createPartyCheck(vault, createMatcher(text));
  const ids: string[] = [];
  const begunAt = performance.now();
  let searched = 0;
  const isEnough = (): boolean =>
    searched >= MOST_SEARCHED || parties.opened >= MOST_OPENED || performance.now() - begunAt >= MOST_MS;
  for (let place = after; ; ) {
    stopIfAbandoned();
    const page = await readPage(place, PIECE);
    await turns.wait();
    for (const call of page) {
      searched++;
      place = call;
      if (isLabeled(call) || (await parties.check(call))) ids.push(call.id);
      if (ids.length >= limit) return { ids, searched, last: call };
    }
    if (page.length < PIECE) return { ids, searched, last: null };
    if (isEnough()) return { ids, searched, last: place ?? null };
  }
};
