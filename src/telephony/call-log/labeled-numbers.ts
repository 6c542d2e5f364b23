import type { Queries } from '../../platform/index.ts';
import { listNumberLabels } from '../accounts/number-store.ts';
import { fold } from './fold.ts';

type OwnEnd = { accountId: string; ownHash: string | null };

const keyOf = ({ accountId, ownHash }: OwnEnd): string => `${accountId} ${ownHash}`;

/**
 * Returns a function that checks whether the text is part of the label of the team's number in a call. Labels are read
 * once per search, because few numbers have one, and many calls have the same number.
 */
export const findLabeled = async (
  queries: Queries,
  teamId: string,
  text: string,
): Promise<(call: OwnEnd) => boolean> => {
  const words = fold(text.trim());
  const labels = await listNumberLabels(queries, teamId);
  const wanted = new Set(
    labels
      .filter(({ label }) => fold(label).includes(words))
      .map(({ accountId, numberHash }) => keyOf({ accountId, ownHash: numberHash })),
  );
  return (call) => wanted.has(keyOf(call));
};
