import type { OauthRecord } from '../catalogue/provider.ts';
import type { Connection } from '../connections/connection.ts';
import { changeConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import { accountSourceOf, fetchAccount } from '../requests/fetch-holder.ts';
import type { Granted } from '../requests/grant-requests.ts';

/**
 * Whether the account has to be read again, because it couldn't be read before, or was read from other fields of the
 * entry. An earlier version didn't note the fields. It took a company for the account only where the entry now has both.
 */
const isOutdated = ({ accountId, accountFrom }: Connection, record: OauthRecord): boolean => {
  if (!record.identity) return false;
  if (accountId === null) return true;
  return accountFrom === null ? record.identity.installation !== undefined : accountFrom !== accountSourceOf(record);
};

/**
 * Reads again whose account a connection is, with new tokens, if that is outdated. So nobody has to reconnect after an
 * entry was corrected. If it fails, the next refresh tries again.
 */
export const correctAccount = async (
  { database, log, ...context }: IntegrationsContext,
  connection: Connection,
  target: Target,
  { tokens, response }: Extract<Granted, { failure: null }>,
): Promise<void> => {
  const { record } = target.provider;
  if (!isOutdated(connection, record)) return;
  try {
    const values = { ...target.values, ...tokens.kept };
    const source = { accessToken: tokens.accessToken, response };
    const { account, installationId, accountFrom } = await fetchAccount(
      { ...context, log },
      { ...target, values },
      source,
    );
    if (account.id === null) return;
    const corrected = { accountId: account.id, accountLabel: account.label, installationId, accountFrom };
    // The new tokens were stored under the next generation. If the connection has changed again, nothing is written.
    await changeConnection(database, { ...connection, generation: connection.generation + 1 }, corrected);
  } catch (err) {
    log.warn({ err, provider: connection.provider }, 'the account of a connection could not be read again');
  }
};
