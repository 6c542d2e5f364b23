import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { customerKeyInvalid } from '../errors.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import { describeEnded } from '../records/handed-store.ts';
import { removeUser, restoreUser, type User, updateUser } from '../records/user-store.ts';
import { type CustomerUser, findCustomerUser, insertCustomerUser } from './customer-user.ts';
import { getCustomerTeam } from './find-customer-team.ts';

type NamedUser = CustomerUser & { key: string };

/**
 * The users that the operator's product names.
 *
 *   unknown ──put, or first use──▶ in the team ──remove──▶ removed ──put──▶ in the team
 *
 * Only `put` restores a removed user. Everything else refuses the user's key.
 */
export const createCustomerUsers = (context: TeamsContext) => {
  const { database, clock, forgetCallers } = context;

  const change = async (tx: Transaction, actor: AuditActor, teamId: string, { key, name, email }: NamedUser) => {
    const known = await findCustomerUser(tx, teamId, key, 'for update');
    if (!known) return undefined;
    const { removed, ...user } = known;
    const named = {
      ...user,
      name: name === null ? key : (name ?? user.name),
      email: email === undefined ? user.email : email,
    };
    const isOther = named.name !== user.name || named.email !== user.email;
    if (isOther) await updateUser(tx, named);
    if (removed) await restoreUser(tx, teamId, user.id, clock.now());
    if (!removed && !isOther) return named;
    const action = removed ? 'member.restore' : 'member.change';
    await recordAudit(context, tx, teamId, actor, { action, target: user.id });
    return named;
  };

  return {
    /** Creates, changes or restores the user. Concurrent calls create the user only once. */
    async put(teamKey: string, actor: AuditActor, named: NamedUser): Promise<{ user: User; created: boolean }> {
      if (!isCustomerKey(named.key)) throw customerKeyInvalid();
      const { id: teamId } = await getCustomerTeam(context, teamKey);
      return database.transaction(async (tx) => {
        const known = await change(tx, actor, teamId, named);
        if (known) return { user: known, created: false };
        const made = await insertCustomerUser(context, tx, teamId, named);
        const user = await change(tx, actor, teamId, named);
        if (!user) throw new Error('The user was not created.');
        if (made) await recordAudit(context, tx, teamId, actor, { action: 'member.create', target: user.id });
        return { user, created: made };
      });
    },

    /**
     * Removes a user, and ends their sessions and tokens. Takes effect immediately here, and within a second in other
     * processes.
     */
    async remove(teamKey: string, actor: AuditActor, userKey: string): Promise<void> {
      const { id: teamId } = await getCustomerTeam(context, teamKey);
      await database.transaction(async (tx) => {
        const user = await findCustomerUser(tx, teamId, userKey, 'for update');
        if (!user || user.removed) return;
        const detail = describeEnded(await removeUser(tx, teamId, user.id, clock.now()));
        await recordAudit(context, tx, teamId, actor, {
          ...{ action: 'member.remove', target: user.id },
          ...(detail && { detail }),
        });
        tx.afterCommit(forgetCallers);
      });
    },
  };
};

export type CustomerUsers = ReturnType<typeof createCustomerUsers>;
