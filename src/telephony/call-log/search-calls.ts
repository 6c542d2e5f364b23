import { stopIfAbandoned } from '../../platform/index.ts';
import type { CallPlace } from '../calls/call-filter.ts';
import type { SealedCall } from '../calls/call-list-store.ts';
import { createPartyCheck } from '../calls/call-parties.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { fold } from './fold.ts';
import type { FindHeard } from './transcript-search.ts';

/** How many calls one search checks, even if few match. */
export const MOST_SEARCHED = 100_000;
/** How many calls one search decrypts. */
const MOST_OPENED = 20_000;
/** How long one search may take. On a busy machine, it ends with what it has found by then. */
const MOST_MS = 1_500;
/** How many calls are read at once. Other work runs in between. */
const PIECE = 100;

/** Returns a function that checks whether the text is part of a party's number or name. */
export const createMatcher = (text: string): ((party: Party | null) => boolean) => {
  const words = fold(text.trim());
  // Leading zeros are dropped: a national number starts with a zero that the international form doesn't have.
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
  /** Whether the label of the team's number matches. If it does, the call needn't be decrypted. */
  isLabeled(call: SealedCall): boolean;
  /** Finds calls by what was said in them. */
  findHeard: FindHeard;
  /** Reads the calls to search, newest first. */
  readPage(after: CallPlace | undefined, limit: number): Promise<readonly SealedCall[]>;
};

/**
 * Searches calls for a text. Numbers, names, and transcripts are sealed, so calls are checked one after the other, newest first. The
 * search ends when enough calls were found or checked. `last` is the call after which to continue, or null if there are
 * no more calls.
 */
export const searchCalls = async (
  { vault, turns }: Pick<TelephonyContext, 'vault' | 'turns'>,
  { text, limit, after, isLabeled, findHeard, readPage }: Search,
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
    const heard = await findHeard(page);
    for (const call of page) {
      searched++;
      place = call;
      if (isLabeled(call) || heard.has(call.id) || (await parties.check(call))) ids.push(call.id);
      if (ids.length >= limit) return { ids, searched, last: call };
    }
    if (page.length < PIECE) return { ids, searched, last: null };
    if (isEnough()) return { ids, searched, last: place ?? null };
  }
};
