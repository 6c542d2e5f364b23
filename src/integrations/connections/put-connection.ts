import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, getUser, recordAudit } from '../../teams/index.ts';
import type { Client } from '../catalogue/client.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress } from '../catalogue/placeholders.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import { connectionBusy, stateInvalid } from '../errors.ts';
import type { Account } from '../requests/grant-requests.ts';
import type { Tokens } from '../requests/token-response.ts';
import type { Connection, RefreshRules } from './connection.ts';
import { changeConnection, getConnection, insertConnection } from './connection-store.ts';
import { openTokens, startFresh } from './connection-tokens.ts';
import type { Revocation } from './revocation-store.ts';
import { putRevocation, sealRevocation } from './revoke-grant.job.ts';

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

const rulesFor = ({ record: { refresh } }: ResolvedProvider, tokens: Tokens): RefreshRules | null =>
  refresh && (tokens.refreshToken !== null || refresh.with === 'access_token') ? refresh : null;

const toRow = async (
  { vault, clock, newId }: IntegrationsContext,
  resolved: ResolvedProvider,
  made: NewConnection,
): Promise<Connection> => {
  const { teamId, userId, provider, client, account, tokens, details, scopesAsked } = made;
  const connectedAt = clock.now();
  const rules = rulesFor(resolved, tokens);
  return {
    ...(await startFresh(vault, { teamId, provider, connectedAt, scopesAsked }, tokens, rules, connectedAt)),
    id: newId(),
    teamId,
    provider,
    generation: 1,
    accountId: account.id,
    accountLabel: account.label,
    details,
    clientId: client.id,
    clientOf: client.of,
    authority: plainHost(expandAddress(resolved.record.token.url, details)),
    scopesAsked,
    connectedAt,
    connectedBy: userId,
    refreshedAt: null,
    leaseNumber: 0,
  };
};

/** The old grant is ended only if it's surely another account's. Ending one of the same account could end the new one. */
const sealReplaced = async (
  context: IntegrationsContext,
  resolved: ResolvedProvider,
  old: Connection,
  { account }: NewConnection,
): Promise<Revocation | null> => {
  const another = old.accountId !== null && account.id !== null && old.accountId !== account.id;
  if (!another || !resolved.record.revoke) return null;
  const tokens = await openTokens(context.vault, old);
  return tokens && sealRevocation(context, resolved, old, tokens);
};

const replace = (tx: Transaction, old: Connection, row: Connection): Promise<number> => {
  const { id: _, teamId: __, provider: ___, ...fields } = row;
  return changeConnection(tx, old, {
    ...fields,
    generation: old.generation + 1,
    // The number of the old lease is no longer valid.
    leaseNumber: old.leaseNumber + 1,
  });
};

/** Stores a new grant. It replaces the team's earlier connection to this provider, whatever state that is in. */
export const putConnection = async (
  context: IntegrationsContext,
  resolved: ResolvedProvider,
  made: NewConnection,
  actor: AuditActor,
): Promise<void> => {
  const { database, forgetStatus } = context;
  const { teamId, provider, account } = made;
  const row = await toRow(context, resolved, made);
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const written = await database.transaction(async (tx) => {
      // Someone who was removed in the meantime can no longer connect anything to the team.
      if (!(await getUser(tx, teamId, made.userId))) throw stateInvalid();
      // Locked, so that those who connect at the same time wait for each other instead of trying again.
      const old = await getConnection(tx, teamId, provider, 'for update');
      // Reads nothing: the team's key has just sealed the new tokens.
      const revocation = old ? await sealReplaced(context, resolved, old, made) : null;
      const changed = old ? await replace(tx, old, row) : await insertConnection(tx, row);
      if (changed === 0) return false;
      if (revocation) await putRevocation(context, tx, revocation, { firstTry: 'job' });
      await recordAudit(context, tx, teamId, actor, {
        action: old ? 'integration.reconnect' : 'integration.connect',
        target: provider,
        detail: { account: account.label, scopes: made.tokens.scopes },
      });
      tx.afterCommit(() => forgetStatus(teamId));
      return true;
    });
    if (written) return;
  }
  throw connectionBusy();
};
