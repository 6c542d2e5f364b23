import { Refusal } from '../../platform/index.ts';
import type { Account } from '../catalogue/schemas.ts';
import { DEFAULT_CONNECTION } from '../connections/connection-name.ts';

/** The outcome of an attempt, stored so that the same response can be given again. */
export type ConnectOutcome =
  | { outcome: 'connected'; account: Account; previousAccount: Account | null; siteNeeded: boolean }
  | { outcome: 'failed'; status: number; code: string; message: string };

/**
 * `confirm`: the code wasn't exchanged yet, because the callback may not come from the user who started the connect.
 */
export type Finished = ConnectOutcome | { outcome: 'confirm'; attempt: string };

/** Turns a refusal into an outcome that can be stored. */
export const failed = ({ status, code, message }: Refusal): ConnectOutcome => ({
  outcome: 'failed',
  status,
  code,
  message,
});

/** Turns a stored outcome back into its refusal. */
export const refusalOfOutcome = ({ status, code, message }: Extract<ConnectOutcome, { outcome: 'failed' }>): Refusal =>
  new Refusal(status, code, message);

/** A connection's name, and its provider. */
export type Which = { provider: string; connection: string };

/** The query to add to the return URL. It names the connection unless that is `default`. */
export const toQuery = ({ provider, connection }: Which, finished: Finished): Record<string, string> => {
  const { outcome } = finished;
  const which = connection === DEFAULT_CONNECTION ? { provider } : { provider, connection };
  if (outcome === 'failed') return { ...which, outcome, error: finished.code };
  if (outcome === 'confirm') return { ...which, outcome, attempt: finished.attempt };
  return finished.siteNeeded ? { ...which, outcome, siteNeeded: 'true' } : { ...which, outcome };
};
