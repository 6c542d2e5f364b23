import { withDefaults } from '../catalogue/placeholders.ts';
import type { OauthProvider, ResolvedProvider } from '../catalogue/provider.ts';
import { type Connection, refreshRulesOf } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { openTokens } from '../connections/connection-tokens.ts';
import { listContained } from '../containment/consent-store.ts';
import { correctAccount } from '../refresh/correct-account.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import type { Target } from '../requests/ask-provider.ts';
import { knownOf } from '../requests/chosen-site.ts';
import { probeAccount } from '../requests/fetch-holder.ts';
import { type TokenVerdict, verifyToken } from '../requests/verify-token.ts';

/**
 * What the provider says about an access token. `proven`: with a request that has accepted a token of this grant before.
 * A refusal by any other request says nothing: it may be for tokens with other scopes.
 */
type Opinion = Exclude<TokenVerdict, { outcome: 'accepted' | 'rejected' }> | Clear;
type Clear = { outcome: 'accepted'; by: 'verification' | 'account' } | { outcome: 'rejected'; proven: boolean };

/** What is known in the end, about the connection as it is now. Null if it has been replaced or removed. */
export type Examined = { connection: Connection; opinion: Opinion | { outcome: 'refresh_decides' | 'too_young' } };

const FRESH_MS = 5 * 60_000;

/** Null if the entry, its issuer, the client or the tokens can't be used at the moment. */
const toTarget = async (
  { clients }: WorkingContext,
  resolved: ResolvedProvider,
  connection: Connection,
): Promise<Target | null> => {
  const { teamId, provider, clientId, clientOf } = connection;
  const client = await clients.open(teamId, provider, clientOf);
  if (client?.id !== clientId) return null;
  return { provider: resolved, client, values: knownOf(resolved.record, connection) };
};

const ask = async (context: WorkingContext, target: Target, connection: Connection): Promise<Opinion> => {
  // The issuer may have taken long to say where to ask.
  if ((await listContained(context.database, [connection])).length > 0) return { outcome: 'not_asked' };
  const tokens = await openTokens(context.vault, connection);
  // A refresh reports tokens that can't be decrypted.
  if (!tokens) return { outcome: 'not_asked' };
  const { accessToken } = tokens;
  const verdict = await verifyToken(context, target, accessToken);
  const values = withDefaults(connection.details, target.provider.record);
  if (verdict.outcome === 'accepted') {
    await correctAccount(context, connection, { ...target, values }, { accessToken, response: null });
    return { ...verdict, by: 'verification' };
  }
  if (verdict.outcome !== 'rejected') return verdict;
  if (connection.verifiedAt !== null) return { ...verdict, proven: true };
  // The request has never accepted a token of this grant. The one about the account has, when it was connected.
  const second = await probeAccount(context, { ...target, values }, accessToken, connection.accountId);
  if (second === 'accepted') return { outcome: second, by: 'account' };
  return { outcome: 'rejected', proven: second === 'rejected' };
};

const isFresh = (since: number | null, now: number): boolean =>
  since !== null && now >= since && now - since < FRESH_MS;

/**
 * Finds out whether a connection's access token works. If the provider refuses it, gets a new one, unless another
 * process has done so since, and asks once more.
 */
export const examineToken = async (
  context: WorkingContext,
  entry: OauthProvider,
  connection: Connection,
): Promise<Examined | null> => {
  const { discover, refresher, database, clock } = context;
  const canAsk = Boolean(entry.record.api?.verify);
  const resolved = canAsk ? await Promise.resolve(discover(entry)).catch(() => null) : null;
  const target = resolved && (await toTarget(context, resolved, connection));
  if (!target) return { connection, opinion: { outcome: 'not_asked' } };
  const opinion = await ask(context, target, connection);
  const isRefused = opinion.outcome === 'rejected';
  if (!isRefused || !refreshRulesOf(target.provider.record, connection)) return { connection, opinion };
  const isRenewed = await refresher.renew(connection);
  const current = await getConnection(database, connection);
  if (current?.id !== connection.id) return null;
  if (isRenewed) return { connection: current, opinion: await ask(context, target, current) };
  const { failures, status, reason } = connection;
  const hasFailed = current.failures > failures || current.status !== status || current.reason !== reason;
  if (hasFailed) return { connection: current, opinion: { outcome: 'refresh_decides' } };
  const now = clock.now();
  if (isFresh(connection.connectedAt, now)) return { connection: current, opinion: { outcome: 'too_young' } };
  // A token that was renewed a moment ago is believed to be refused, as after a renewal here.
  return {
    connection: current,
    opinion: isFresh(connection.refreshedAt, now) ? opinion : { outcome: 'refresh_decides' },
  };
};
