import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit, sessionActor } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { customerUserRemoved, sessionTicketGone } from '../errors.ts';
import {
  type ConnectSession,
  type ConnectSessionKind,
  deleteConnectSession,
  deleteConnectSessions,
  deleteOldConnectSessions,
  findConnectSession,
  hasConnectSession,
  insertConnectSession,
} from '../records/connect-session-store.ts';
import {
  type Credential,
  formatConnectSession,
  formatCredential,
  makeCredential,
  parseCredential,
} from '../records/credential.ts';
import { markReclaimed } from '../records/proof-store.ts';
import { getUserForUpdate } from '../records/user-store.ts';
import { ensureCustomerUser, findCustomerUser } from './customer-user.ts';
import { getCustomerTeam } from './find-customer-team.ts';

type NewConnectSession = {
  user: { key: string; name?: string | undefined; email?: string | undefined };
  providers: readonly string[] | null;
  returnTo: string | null;
  lifetimeMs: number;
};

/** How many sessions of each kind a user can have. A new session ends the oldest one. */
const MOST_PER_USER = 20;

/** Lets a customer's user connect certain providers from their own browser, for a limited time. */
export const createConnectSessions = (context: TeamsContext) => {
  const { database, clock, newId } = context;

  const find = async (kind: ConnectSessionKind, text: string) => {
    const credential = parseCredential(text);
    const session = credential && (await findConnectSession(database, kind, credential, clock.now()));
    return session && { ...session, credential };
  };

  const add = async (
    tx: Transaction,
    kind: ConnectSessionKind,
    credential: Credential,
    session: ConnectSession,
    createdAt: number,
  ): Promise<void> => {
    await insertConnectSession(tx, kind, credential, session, createdAt);
    await deleteOldConnectSessions(tx, kind, session, MOST_PER_USER);
  };

  return {
    /** Creates a token for the user's browser, and a ticket for the hosted page. */
    async create(teamKey: string, actor: AuditActor, { user: named, lifetimeMs, ...options }: NewConnectSession) {
      const { id: teamId } = await getCustomerTeam(context, teamKey);
      const user = await ensureCustomerUser(context, teamId, named);
      const createdAt = clock.now();
      const session: ConnectSession = {
        ...{ teamId, userId: user.id, role: 'member' },
        ...{ ...options, expiresAt: createdAt + lifetimeMs },
      };
      const [token, ticket] = [makeCredential(newId), makeCredential(newId)];
      await database.transaction(async (tx) => {
        // Removing the user locks the user, too. So a removal is either visible here, or waits and then also ends this
        // session.
        if (!(await getUserForUpdate(tx, teamId, user.id))) throw customerUserRemoved();
        await add(tx, 'bearer', token, session, createdAt);
        await add(tx, 'ticket', ticket, session, createdAt);
        const entry = { action: 'connect_session.create', target: user.id, detail: { providers: options.providers } };
        await recordAudit(context, tx, teamId, actor, entry);
      });
      const { expiresAt } = session;
      return { token: formatConnectSession(token), ticket: formatCredential(ticket), expiresAt, userId: user.id };
    },

    /**
     * Ends a user's connect sessions, and the connects that the user has begun. Takes effect immediately here, and
     * within a second in other processes.
     */
    async end(teamKey: string, actor: AuditActor, userKey: string): Promise<void> {
      const { id: teamId } = await getCustomerTeam(context, teamKey);
      const user = await findCustomerUser(database, teamId, userKey);
      if (!user) return;
      const holder = { teamId, userId: user.id };
      // A connect in progress may have been begun without a session, so it's ended here, too.
      await markReclaimed(database, holder, clock.now());
      if (!(await hasConnectSession(database, teamId, user.id))) return;
      // Record the audit entry first, so that no session ends without it. The deletion isn't in the same transaction:
      // it may take long, and others would wait for its locks.
      await recordAudit(context, database, teamId, actor, { action: 'connect_session.end', target: user.id });
      await deleteConnectSessions(database, teamId, user.id);
      // Delete again with the user locked, because `redeemTicket` may have added a session meanwhile.
      await database.transaction(async (tx) => {
        await getUserForUpdate(tx, teamId, user.id);
        await deleteConnectSessions(tx, teamId, user.id);
        await markReclaimed(tx, holder, clock.now());
      });
      context.forgetCallers();
    },

    findTicket: (text: string) => find('ticket', text),

    findPage: (text: string) => find('page', text),

    /** Exchanges a ticket for a page session, once. Returns the session for the page's cookie, and its user. */
    async redeemTicket(text: string, request: FastifyRequest) {
      const ticket = await find('ticket', text);
      if (!ticket) throw sessionTicketGone();
      const { credential, ...session } = ticket;
      const page: Credential = makeCredential(newId);
      const now = clock.now();
      await database.transaction(async (tx) => {
        // Ending the user's sessions locks the user, too. So it has either deleted this ticket, or waits and then also
        // ends the new session.
        if (!(await getUserForUpdate(tx, session.teamId, session.userId))) throw sessionTicketGone();
        if ((await deleteConnectSession(tx, session, credential.id)) === 0) throw sessionTicketGone();
        await add(tx, 'page', page, session, now);
        const entry = { action: 'connect_session.open', target: session.userId };
        await recordAudit(context, tx, session.teamId, sessionActor(request, session), entry);
      });
      return { cookie: formatCredential(page), lifetimeMs: session.expiresAt - now, userId: session.userId };
    },
  };
};

export type ConnectSessions = ReturnType<typeof createConnectSessions>;
