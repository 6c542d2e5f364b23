import type { Database } from '../../platform/index.ts';
import { getUser } from '../../teams/index.ts';
import { getSlackAddress } from './slack-address-store.ts';

/** Never the URL itself: anyone who has it can post there. */
export type ShownSlackAddress = { host: string; setBy: { id: string; label: string }; setAt: number };

export const showSlackAddress = async (
  { database }: { database: Database },
  teamId: string,
): Promise<ShownSlackAddress | null> => {
  const row = await getSlackAddress(database, teamId);
  if (!row) return null;
  const { host, setAt, setBy } = row;
  const user = await getUser(database, teamId, setBy);
  return { host, setAt, setBy: { id: setBy, label: user?.email ?? user?.name ?? setBy } };
};
