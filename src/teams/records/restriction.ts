import type { Restriction } from '../../http/index.ts';

/** A restriction as its token's row has it. `returnTo`: where connects end that are begun with the token. */
export type StoredRestriction = Omit<Restriction, 'byOperator'> & { returnTo: string | null };

export const printRestriction = (restriction: StoredRestriction | null): string | null =>
  restriction && JSON.stringify(restriction);

export const parseRestriction = (text: string | null): StoredRestriction | null =>
  text === null ? null : (JSON.parse(text) as StoredRestriction);
