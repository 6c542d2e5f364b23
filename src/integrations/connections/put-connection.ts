import type { Refusal, Transaction } from '../../platform/index.ts';
import {
  type AuditActor,
  type Beginning,
  getUserWhoBegan,
  lockTeam,
  lockUserWhoBegan,
  recordAudit,
} from '../../teams/index.ts';
import { isKeyBased } from '../catalogue/catalogue.ts';
import type { Client } from '../catalogue/client.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import type { Account } from '../catalogue/schemas.ts';
import { listContained } from '../containment/consent-store.ts';
import { keepInLedgers, settleConnection, toConsented } from '../containment/contained-store.ts';
import { CONTAINED } from '../containment/containment.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectionBusy, connectionLimit, contained, nameTaken, stateInvalid } from '../errors.ts';
import { type ListedSite, settleSite } from '../requests/chosen-site.ts';
import type { Identified } from '../requests/fetch-holder.ts';
import type { Tokens } from '../requests/token-response.ts';
import { atCurrentHost, authorityOf, currentAuthorityOf } from './authority.ts';
import {
  type Connection,
  type ConnectionKey,
  endsAlone,
  isOtherAccount,
  isOtherInstallation,
  refreshRulesOf,
} from './connection.ts';
import { toConnectionEvent } from './connection-event.ts';
import { changeConnection, countConnectionsOfTeam, getConnection, insertConnection } from './connection-store.ts';
import { openTokens, startFresh } from './connection-tokens.ts';
import { sealRevocation } from './prepare-revocation.ts';
import type { Revocation } from './revocation-store.ts';
import { putRevocation } from './revoke-grant.job.ts';

export type NewConnection = ConnectionKey &
  Identified & {
    userId: string;
    /** When and in which session the connect began. */
    begun: Beginning;
    /** Only for an imported connection: when it was first connected. Its tokens are treated as refreshed now. */
    connectedAt?: number;
    client: Client;
    /** The sites that the consent covers. Null if there is nothing to choose, or if the list isn't known. */
    sites: ListedSite[] | null;
    tokens: Tokens;
    details: Record<string, string>;
    scopesAsked: string[];
    /** Whether a connection with the same name may be replaced if it isn't surely for the same account. */
    mayReplace: boolean;
  };

const TRIES = 5;
const MOST_AUDITED_CHARACTERS = 1_000;

/** The scopes for the audit log, or only their number if the list is long. */
const nameOrCount = (scopes: readonly string[] | null): readonly string[] | number | null =>
  scopes && scopes.join(' ').length > MOST_AUDITED_CHARACTERS ? scopes.length : scopes;

export const toConnectionRow = async (
  { vault, clock, newId }: IntegrationsContext,
  resolved: ResolvedProvider,
  made: Omit<NewConnection, 'begun' | 'mayReplace'>,
): Promise<Connection> => {
  const { teamId, userId, provider, name, client, sites, tokens, details, scopesAsked } = made;
  const now = clock.now();
  const { connectedAt = now } = made;
  const rules = refreshRulesOf(resolved.record, tokens);
  return {
    ...(await startFresh(vault, { teamId, provider, name, connectedAt, scopesAsked }, tokens, rules, now)),
    id: newId(),
    teamId,
    provider,
    name,
    generation: 1,
    accountId: made.account.id,
    accountLabel: made.account.label,
    installationId: made.installationId,
    accountFrom: made.accountFrom,
    details,
    site: settleSite(resolved.record, sites, null),
    clientId: client.id,
    clientOf: client.of,
    authority: authorityOf(resolved, details),
    scopesAsked,
    connectedAt,
    connectedBy: userId,
    refreshedAt: made.connectedAt === undefined ? null : now,
    leaseNumber: 0,
    usedAt: null,
    renewedAt: null,
    // Verified right after the connect, by a job: the person has just allowed it, and shouldn't have to wait for that.
    verifyDueAt: now,
    verifiedAt: null,
    handedOutAt: null,
    containedBy: null,
  };
};

/**
 * Prepares the revocation of the old grant. Null if it was given up before, or if revoking it could end the new grant, too:
 * unless it's contained, and then `tryRevocation` finds that out.
 */
const toRevocation = async (
  context: IntegrationsContext,
  resolved: ResolvedProvider,
  old: Connection,
  row: Connection,
): Promise<Revocation | null> => {
  if (old.reason === CONTAINED || !resolved.record.revoke) return null;
  if (old.containedBy === null && !endsAlone(atCurrentHost(resolved, old), row)) return null;
  const tokens = await openTokens(context.vault, old);
  return tokens && sealRevocation(context, resolved, old, tokens);
};

/** Says in the ledgers what becomes of a contained grant that is replaced. */
const settleReplaced = async (
  context: IntegrationsContext,
  tx: Transaction,
  old: Connection,
  revocation: Revocation | null,
): Promise<void> => {
  const now = context.clock.now();
  if (old.reason !== CONTAINED) await keepInLedgers(tx, old, now);
  if (revocation) return putRevocation(context, tx, old, revocation, { firstTry: 'job' });
  if (old.containedBy === null || old.reason === CONTAINED) return;
  const entry = context.catalogue.get(old.provider);
  const isUnsupported = entry !== undefined && (isKeyBased(entry) || entry.record.revoke === null);
  await settleConnection(tx, toConsented(old), { state: isUnsupported ? 'unsupported' : 'unknown', now });
};

const replace = (tx: Transaction, old: Connection, row: Connection): Promise<number> => {
  const { id: _, teamId: __, provider: ___, name: ____, ...fields } = row;
  return changeConnection(tx, old, {
    ...fields,
    generation: old.generation + 1,
    // Invalidates the lease of a refresh in progress.
    leaseNumber: old.leaseNumber + 1,
  });
};

const add = async (
  tx: Transaction,
  { limits }: IntegrationsContext,
  row: Connection,
  refuseGone: () => Refusal,
): Promise<number> => {
  const { connections: most } = limits;
  // Lock the team until this commits, so that the count includes the rows of simultaneous connects. Otherwise, they
  // could exceed the limit together.
  if (!(await lockTeam(tx, row.teamId))) throw refuseGone();
  const added = await insertConnection(tx, row);
  if (added > 0 && (await countConnectionsOfTeam(tx, row.teamId)) > most) throw connectionLimit(most);
  return added;
};

/** Whether one of the accounts is unknown, so that nobody can tell whether they are the same. */
const hasUnknownAccount = (old: Connection, made: Connection): boolean =>
  old.accountId === null || made.accountId === null;

type Storing = {
  userId: string;
  /** When and in which session the request or the connect began. */
  begun: Beginning;
  /** Whether a connection with the same name may be replaced if it isn't surely for the same account. */
  mayReplace: boolean;
  /** Whether it may be replaced in any case if one of the accounts is unknown. False if not set. */
  mayReplaceUnknown?: boolean;
  /** Finds the host that issues tokens, from a connection's details. */
  authorityOf(details: Record<string, string>): string;
  /** Makes the error for a user who was removed or has signed out since. */
  refuseGone(): Refusal;
  /**
   * Throws if the existing connection must not be replaced. Runs in a transaction, so it must not query the database
   * itself.
   */
  checkReplaced?(old: Connection): Promise<void>;
  /**
   * Prepares the revocation of the replaced grant. Null if there is nothing to revoke. Runs in a transaction, so it
   * must not query the database itself.
   */
  toRevocation(old: Connection): Promise<Revocation | null>;
  /** Returns the site to use, given the old connection of the same account. */
  siteAfter?(old: Connection): Connection['site'];
  /** More details for the audit log. */
  detail: Record<string, unknown>;
};

type Stored = {
  connection: Connection;
  /** The account that was replaced. Null if there was none, or if it's the same. */
  previousAccount: Account | null;
};

/** Stores a connection. It replaces an existing one with the same name, whatever its status. */
export const storeConnection = async (
  context: IntegrationsContext,
  made: Connection,
  { userId, begun, mayReplace, mayReplaceUnknown = false, refuseGone, checkReplaced, detail, ...storing }: Storing,
  actor: AuditActor,
): Promise<Stored> => {
  const { database, record, forgetStatus } = context;
  const { teamId, provider, name } = made;
  for (let round = 1; round <= TRIES; round++) {
    const written = await database.transaction(async (tx) => {
      // A user who was removed since can't connect anything to the team, even if they were added again.
      const who = { teamId, userId };
      const user = await getUserWhoBegan(tx, who, begun, context.clock.now());
      if (!user) throw refuseGone();
      // Lock the row, so that simultaneous connects wait for each other here. Otherwise, the second one would find the
      // row changed, and would have to try again.
      const old = await getConnection(tx, made, 'for update');
      const isOther =
        old !== undefined &&
        (isOtherInstallation(old, made) ||
          isOtherAccount({ ...old, authority: currentAuthorityOf(old, storing.authorityOf) }, made));
      const isUnsure = old !== undefined && !mayReplaceUnknown && hasUnknownAccount(old, made);
      if (!mayReplace && (isOther || isUnsure)) throw nameTaken();
      const siteAfter = isOther ? undefined : storing.siteAfter;
      const row = old && siteAfter ? { ...made, site: siteAfter(old) } : made;
      if (old) await checkReplaced?.(old);
      const revocation = old ? await storing.toRevocation(old) : null;
      const changed = old ? await replace(tx, old, row) : await add(tx, context, row, refuseGone);
      if (changed === 0) return null;
      const stored = { ...row, id: old?.id ?? row.id };
      if (old) await settleReplaced(context, tx, old, revocation);
      if (old && isOther) await context.onConnectionEnded(tx, old);
      // An imported connection may be from before a containment.
      await keepInLedgers(tx, stored, context.clock.now());
      await recordAudit(context, tx, teamId, actor, {
        action: old ? 'integration.reconnect' : 'integration.connect',
        target: provider,
        detail: { connection: name, account: row.accountLabel, ...detail },
      });
      const type = old ? 'connection.reconnected' : 'connection.connected';
      const event = await toConnectionEvent(context, tx, type, stored, user);
      const previousAccount = isOther ? { id: old.accountId, label: old.accountLabel } : null;
      await record(tx, old ? { ...event, data: { ...event.data, previousAccount } } : event);
      // This may have waited for a lock while the user was removed or their sessions were ended.
      if (!(await lockUserWhoBegan(tx, who, begun, context.clock.now()))) throw refuseGone();
      // What an import brings replaces nothing while it's contained: ledgers have one row for both.
      const begunAt = old ? Math.min(begun.begunAt, made.connectedAt) : begun.begunAt;
      if ((await listContained(tx, [{ ...stored, connectedAt: begunAt }])).length > 0) throw contained();
      tx.afterCommit(() => forgetStatus(teamId));
      return { connection: stored, previousAccount };
    });
    if (written) return written;
  }
  throw connectionBusy();
};

/** Stores a new grant. It replaces the team's connection with the same name. */
export const putConnection = async (
  context: IntegrationsContext,
  resolved: ResolvedProvider,
  made: NewConnection,
  actor: AuditActor,
): Promise<Stored> => {
  const row = await toConnectionRow(context, resolved, made);
  const { userId, begun, mayReplace } = made;
  const storing = {
    ...{ userId, begun, mayReplace, refuseGone: stateInvalid },
    authorityOf: (details: Record<string, string>) => authorityOf(resolved, details),
    // Doesn't query the database: the team's key is cached, because it has just sealed the new tokens.
    toRevocation: (old: Connection) => toRevocation(context, resolved, old, row),
    siteAfter: (old: Connection) => settleSite(resolved.record, made.sites, old),
    detail: { scopes: nameOrCount(row.scopesGranted) },
  };
  return storeConnection(context, row, storing, actor);
};
