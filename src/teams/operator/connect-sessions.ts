import { customerUserRemoved, sessionTicketGone } from '../errors.ts';
import type { AuditActor } from '../records/audit-store.ts';
import {
  type ConnectSession,
  type ConnectSessionKind,
  deleteConnectSession,
  findConnectSession,
  insertConnectSession,
} from '../records/connect-session-store.ts';
import type { TeamsContext } from '../records/context.ts';
import {
  type Credential,
  formatConnectSession,
  formatCredential,
  makeCredential,
  parseCredential,
} from '../records/credential.ts';
import { recordAudit } from '../records/record-audit.ts';
import { ensureCustomerUser } from './customer-user.ts';
import { getCustomerTeam } from './find-customer-team.ts';

type NewConnectSession = {
  user: { key: string; name?: string | undefined; email?: string | undefined };
  providers: readonly string[] | null;
  returnTo: string | null;
  lifetimeMs: number;
};

/** Lets a customer's user connect integrations from their own browser, for a while and for some providers. */
export const createConnectSessions = (context: TeamsContext) => {
  const { database, clock, newId } = context;

  const find = async (kind: ConnectSessionKind, text: string) => {
    const credential = parseCredential(text);
    const session = credential && (await findConnectSession(database, kind, credential, clock.now()));
    return session && { ...session, credential };
  };

  return {
    /** A token for the user's browser, and a ticket for the hosted page. */
    async create(teamKey: string, actor: AuditActor, { user: named, lifetimeMs, ...options }: NewConnectSession) {
      const { id: teamId } = await getCustomerTeam(context, teamKey);
      const user = await ensureCustomerUser(context, teamId, named);
      if (user.removed) throw customerUserRemoved();
      const createdAt = clock.now();
      const session: ConnectSession = {
        ...{ teamId, userId: user.id, role: 'member' },
        ...{ ...options, expiresAt: createdAt + lifetimeMs },
      };
      const [token, ticket] = [makeCredential(newId), makeCredential(newId)];
      await database.transaction(async (tx) => {
        await insertConnectSession(tx, 'bearer', token, session, createdAt);
        await insertConnectSession(tx, 'ticket', ticket, session, createdAt);
        const entry = { action: 'connect_session.create', target: user.id, detail: { providers: options.providers } };
        await recordAudit(context, tx, teamId, actor, entry);
      });
      const { expiresAt } = session;
      return { token: formatConnectSession(token), ticket: formatCredential(ticket), expiresAt, userId: user.id };
    },

    findTicket: (text: string) => find('ticket', text),

    findPage: (text: string) => find('page', text),

    /** Works once. Returns what the page's cookie holds. */
    async redeemTicket(text: string): Promise<{ cookie: string; lifetimeMs: number }> {
      const ticket = await find('ticket', text);
      if (!ticket) throw sessionTicketGone();
      const { credential, ...session } = ticket;
      const page: Credential = makeCredential(newId);
      const now = clock.now();
      await database.transaction(async (tx) => {
        if ((await deleteConnectSession(tx, session, credential.id)) === 0) throw sessionTicketGone();
        await insertConnectSession(tx, 'page', page, session, now);
      });
      return { cookie: formatCredential(page), lifetimeMs: session.expiresAt - now };
    },
  };
};

export type ConnectSessions = ReturnType<typeof createConnectSessions>;
