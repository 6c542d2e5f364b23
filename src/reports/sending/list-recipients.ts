import { hasSlack } from '../../notices/index.ts';
import { listAdminAddresses, type Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';

/** The recipients the team named, or its admins if it named none. */
export const listAddresses = async ({ database }: ReportsContext, team: Team): Promise<string[]> => {
  const addresses = team.reportRecipients ?? (await listAdminAddresses(database, team.id));
  return [...new Set(addresses.map((address) => address.trim().toLowerCase()))];
};

export type Recipients = { addresses: string[]; slack: boolean; sendsMail: boolean };

/** Who the next report goes to. */
export const listRecipients = async (context: ReportsContext, team: Team): Promise<Recipients> => ({
  addresses: await listAddresses(context, team),
  slack: await hasSlack(context, team.id),
  sendsMail: context.mailer !== null,
});
