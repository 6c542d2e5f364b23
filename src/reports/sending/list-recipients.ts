import type { Database } from '../../platform/index.ts';
import { listAdminAddresses, type Team } from '../../teams/index.ts';
import { getSlackAddress } from '../slack/slack-address-store.ts';

/** The recipients the team named, or its admins if it named none. */
export const listAddresses = async (database: Database, team: Team): Promise<string[]> => {
  const addresses = team.reportRecipients ?? (await listAdminAddresses(database, team.id));
  return [...new Set(addresses.map((address) => address.trim().toLowerCase()))];
};

export type Recipients = { addresses: string[]; slack: boolean; sendsMail: boolean };

/** Who the next report goes to. */
export const listRecipients = async (
  { database, sendsMail }: { database: Database; sendsMail: boolean },
  team: Team,
): Promise<Recipients> => ({
  addresses: await listAddresses(database, team),
  slack: (await getSlackAddress(database, team.id)) !== undefined,
  sendsMail,
});
