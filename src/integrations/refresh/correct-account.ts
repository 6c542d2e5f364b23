import type { Secret } from '../../platform/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { OauthRecord } from '../catalogue/provider.ts';
import type { Connection } from '../connections/connection.ts';
import { changeConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import { accountSourceOf, fetchAccount } from '../requests/fetch-holder.ts';

/**
 * Whether the account has to be read again, because it couldn't be read before, or was read from other fields of the
 * entry. An earlier version didn't note the fields. It took a company for the account only where the entry now has both.
 */
const isOutdated = ({ accountId, accountFrom }: Connection, record: OauthRecord): boolean => {
  if (!record.identity) return false;
  if (accountId === null) return true;
  return accountFrom === null ? record.identity.installation !== undefined : accountFrom !== accountSourceOf(record);
};

/** What the account is read with: an access token that works, and the response that it came in, if that's at hand. */
type Source = { accessToken: Secret; response: unknown; kept?: Values };

/**
 * Reads again whose account a connection is, if that is outdated. So nobody has to reconnect after an entry was
 * corrected. If it fails, the next refresh or verification tries again. If the connection has changed meanwhile, nothing
 * is written.
 */
export const correctAccount = async (
  { database, log, ...context }: IntegrationsContext,
  connection: Connection,
  target: Target,
  { kept = {}, ...source }: Source,
): Promise<void> => {
  const { record } = target.provider;
  if (!isOutdated(connection, record)) return;
  try {
    const values = { ...target.values, ...kept };
    const { account, installationId, accountFrom } = await fetchAccount(
      { ...context, log },
      { ...target, values },
      source,
    );
    if (account.id === null) return;
    const corrected = { accountId: account.id, accountLabel: account.label, installationId, accountFrom };
    await changeConnection(database, connection, corrected);
  } catch (err) {
    log.warn({ err, provider: connection.provider }, 'the account of a connection could not be read again');
  }
};
