import type { Adopter } from '../../integrations/index.ts';
import { toOneLine } from '../../mail/index.ts';
import { COMMAND_LINE, isAddress, isCustomerKey, type Teams } from '../../teams/index.ts';
import { createOnce } from '../create-once.ts';
import type { Owner } from './find-owner.ts';

const MOST_NAME = 200;

const toName = (text: string, fallback: string): string => toOneLine(text).trim().slice(0, MOST_NAME) || fallback;

const toAddress = (text: string | null): string | null => (text !== null && isAddress(text) ? text : null);

/** Finds the team and the user of an owner, or creates them when importing. An existing team keeps its name. */
export const createAdopters = (
  { customers }: { customers: Pick<Teams['customers'], 'find' | 'put' | 'ensureUser'> },
  { apply, teamId }: { apply: boolean; teamId: string | null },
) => {
  const once = createOnce<string | null>();

  const findTeam = ({ customer }: Owner): Promise<string | null> =>
    once(customer.key, async () => {
      const known = await customers.find(customer.key);
      if (known || !apply) return known?.id ?? null;
      const name = toName(customer.name, customer.key);
      return (await customers.put(COMMAND_LINE, customer.key, { name })).team.id;
    });

  return {
    teamOf: async (owner: Owner | null): Promise<string | null> => (owner ? findTeam(owner) : teamId),
    async adopterOf(team: string, owner: Owner | null): Promise<Adopter> {
      const named = owner?.user && isCustomerKey(owner.user.key) ? owner.user : null;
      const user = named
        ? { key: named.key, name: toName(named.name ?? '', named.key), email: toAddress(named.email) }
        : { key: null };
      return { teamId: team, userId: (await customers.ensureUser(team, user)).id };
    },
  };
};
