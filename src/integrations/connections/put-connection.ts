import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, getUser, recordAudit } from '../../teams/index.ts';
import { plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress } from '../catalogue/placeholders.ts';
import { stateInvalid } from '../errors.ts';
import type { Asked } from '../requests/ask-provider.ts';
import type { Account } from '../requests/grant-requests.ts';
import type { Client } from '../requests/provider-request.ts';
import type { Tokens } from '../requests/token-answer.ts';
import { type Connection, reconnectBefore, refreshDueAt } from './connection.ts';
import { changeConnection, getConnection, insertConnection } from './connection-store.ts';
import { openIfPossible, sealTokens } from './connection-tokens.ts';
import type { Revocation } from './revocation-store.ts';
import { putRevocation, type RevocationDependencies, sealRevocation } from './revoke-grant.job.ts';

export type PutDependencies = RevocationDependencies & { forgetStatus(teamId: string): void };

export type NewConnection = {
  teamId: string;
  userId: string;
  provider: string;
  client: Client;
  account: Account;
  tokens: Tokens;
  details: Record<string, string>;
  scopesAsked: string[];
};

const TRIES = 5;

const rulesFor = ({ record }: Asked, tokens: Tokens): NonNullable<Asked['record']['refresh']> | null => {
  const rules = record.refresh ?? null;
  return rules && (tokens.refreshToken !== null || rules.with === 'access_token') ? rules : null;
};

const toRow = async (
  { vault, clock, newId }: PutDependencies,
  asked: Asked,
  made: NewConnection,
): Promise<Connection> => {
  const { teamId, userId, provider, client, account, tokens, details, scopesAsked } = made;
  const now = clock.now();
  const { expiresAt, refreshExpiresAt } = tokens;
  const lifetimes = { expiresAt, refreshExpiresAt, connectedAt: now, obtainedAt: now };
  const rules = rulesFor(asked, tokens);
  return {
    id: newId(),
    teamId,
    provider,
    generation: 1,
    status: 'connected',
    reason: null,
    accountId: account.id,
    accountLabel: account.label,
    details,
    clientId: client.id,
    clientOf: client.of,
    authority: plainHost(expandAddress(asked.record.token.url, details)),
    scopesAsked,
    scopesGranted: tokens.scopes,
    ...(await sealTokens(vault, { teamId, provider }, tokens)),
    expiresAt,
    refreshExpiresAt,
    reconnectBefore: reconnectBefore(lifetimes, rules, tokens.scopes ?? scopesAsked),
    connectedAt: now,
    connectedBy: userId,
    refreshedAt: null,
    lastError: null,
    failures: 0,
    troubleSince: null,
    refusal: null,
    refreshDueAt: refreshDueAt(lifetimes, rules),
    leaseOwner: null,
    leaseNumber: 0,
    leaseUntil: null,
    refreshBegunAt: null,
  };
};

/** The old grant is ended only if it's surely another account's. Ending one of the same account could end the new one. */
const sealReplaced = async (
  dependencies: PutDependencies,
  asked: Asked,
  old: Connection,
  { account }: NewConnection,
): Promise<Revocation | null> => {
  const another = old.accountId !== null && account.id !== null && old.accountId !== account.id;
  if (!another || !asked.record.revoke) return null;
  const tokens = await openIfPossible(dependencies.vault, old);
  return tokens && sealRevocation(dependencies, asked, old, tokens);
};

const replace = (tx: Transaction, old: Connection, row: Connection): Promise<number> => {
  const { id: _, teamId: __, provider: ___, ...fields } = row;
  return changeConnection(tx, old, {
    ...fields,
    generation: old.generation + 1,
    // Whoever still holds the old lease has a number that no longer counts.
    leaseNumber: old.leaseNumber + 1,
  });
};

/** Stores a new grant. It replaces the team's earlier connection to this provider, whatever state that is in. */
export const putConnection = async (
  dependencies: PutDependencies,
  asked: Asked,
  made: NewConnection,
  actor: AuditActor,
): Promise<void> => {
  const { database, forgetStatus } = dependencies;
  const { teamId, provider, account } = made;
  const row = await toRow(dependencies, asked, made);
  for (let attempt = 1; ; attempt++) {
    const old = await getConnection(database, teamId, provider);
    const revocation = old ? await sealReplaced(dependencies, asked, old, made) : null;
    const written = await database.transaction(async (tx) => {
      // Someone who was removed in the meantime can no longer connect anything to the team.
      if (!(await getUser(tx, teamId, made.userId))) throw stateInvalid();
      const changed = old ? await replace(tx, old, row) : await insertConnection(tx, row);
      if (changed === 0) return false;
      if (revocation) await putRevocation(dependencies, tx, revocation, { firstTry: 'job' });
      await recordAudit(dependencies, tx, teamId, actor, {
        action: old ? 'integration.reconnect' : 'integration.connect',
        target: provider,
        detail: { account: account.label, scopes: made.tokens.scopes },
      });
      tx.afterCommit(() => forgetStatus(teamId));
      return true;
    });
    if (written) return;
    if (attempt === TRIES) throw new Error('A connection kept changing while it was being replaced.');
  }
};
