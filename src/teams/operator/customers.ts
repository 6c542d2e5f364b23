import { BEFORE_IDS, type PageQuery, type Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { customerErasing, customerKeyInvalid } from '../errors.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { checkTeamSettings, type Team } from '../records/team.ts';
import { listKeyedTeamsAfter } from '../records/team-store.ts';
import { createTeam } from '../team/create-team.ts';
import type { TeamRegister } from '../team/team-register.ts';
import { type CustomerUser, ensureCustomerUser } from './customer-user.ts';
import { findCustomerTeam, getCustomerTeam } from './find-customer-team.ts';

type CustomerTeam = { name: string; timeZone?: string | undefined };

/** The teams that the operator's product creates, one for each customer. */
export const createCustomers = (context: TeamsContext, register: TeamRegister) => {
  const { database } = context;

  const create = async (tx: Transaction, actor: AuditActor, key: string, { name, timeZone }: CustomerTeam) => {
    const team = await createTeam(context, tx, name, { key, ...(timeZone === undefined ? {} : { timeZone }) });
    if (team) await recordAudit(context, tx, team.id, actor, { action: 'team.create', target: team.id });
    return team;
  };

  const find = async (key: string): Promise<Team | undefined> => {
    const found = await findCustomerTeam(context, database, key);
    if (found?.erasing) throw customerErasing();
    return found;
  };

  return {
    /** Creates the team, or changes it if it exists. Concurrent calls create it only once. */
    async put(actor: AuditActor, key: string, wish: CustomerTeam): Promise<{ team: Team; created: boolean }> {
      if (!isCustomerKey(key)) throw customerKeyInvalid();
      const { name = wish.name, timeZone } = checkTeamSettings({
        name: wish.name,
        ...(wish.timeZone === undefined ? {} : { timeZone: wish.timeZone }),
      });
      const known = await find(key);
      const made = known ? null : await database.transaction((tx) => create(tx, actor, key, { name, timeZone }));
      if (made) return { team: made, created: true };
      // `create` also returns null if another request created the team at the same moment.
      const existing = known ?? (await find(key));
      const change = { name, ...(timeZone === undefined ? {} : { timeZone }) };
      const team = existing && (await register.changeAny(existing.id, actor, change));
      if (!team) throw customerErasing();
      return { team, created: false };
    },

    /** Lists teams, oldest first. */
    list: (query: PageQuery) =>
      readIdPage(query, (after, limit) => listKeyedTeamsAfter(database, after ?? BEFORE_IDS, limit)),

    get: (key: string): Promise<Team> => getCustomerTeam(context, key),

    /** Finds a team. Undefined if there is none. Throws if the team is being erased. */
    find,

    /** Finds or creates a user. For a removed user, returns the operator's own user instead of restoring it. */
    async ensureUser(teamId: string, named: CustomerUser): Promise<{ id: string }> {
      const user = await ensureCustomerUser(context, teamId, named);
      return user.removed ? ensureCustomerUser(context, teamId, { key: null }) : user;
    },
  };
};

export type Customers = ReturnType<typeof createCustomers>;
