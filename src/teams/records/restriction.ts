import type { Restriction } from '../../http/index.ts';

/** A restriction as its token's row has it. `returnTo`: where connects end that are begun with the token. */
export type StoredRestriction = Omit<Restriction, 'byOperator'> & { returnTo: string | null };

export const printRestriction = (restriction: StoredRestriction | null): string | null =>
  restriction && JSON.stringify(restriction);

/** Restrictions from earlier versions don't say how long requests wait for an approval. */
type OlderRestriction = Omit<StoredRestriction, 'approvalMinutes'> & Partial<StoredRestriction>;

export const parseRestriction = (text: string | null): StoredRestriction | null => {
  if (text === null) return null;
  const stored: OlderRestriction = JSON.parse(text);
  return { approvalMinutes: null, ...stored };
};
