import { PatchbayError } from '../patchbay-error.ts';
import { type Access, ask, type Connected } from './ask-patchbay.ts';
import { listConnections } from './list-connections.ts';

/** What the return page hands over to whoever has the session. Only Patchbay knows whether it's true. */
export type Handover = { attempt: string } | { outcome: 'connected' } | { error: string };

export const RECEIVED = 'received';

const CANCELED = 'connect.canceled';

export const cancellation = (): PatchbayError => new PatchbayError(CANCELED, 'Connecting was canceled.');

const failure = (code: string): PatchbayError =>
  code === CANCELED ? cancellation() : new PatchbayError(code, `The account was not connected: ${code}.`);

const isAttempt = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value);
const isCode = (value: unknown): value is string => typeof value === 'string' && /^\w+\.\w+$/.test(value);

/** Whatever else is in a message or an address doesn't count. */
export const toHandover = (value: unknown): Handover | null => {
  const { attempt, outcome, error } = Object(value) as Record<string, unknown>;
  if (isAttempt(attempt)) return { attempt };
  if (isCode(error)) return { error };
  return outcome === 'connected' ? { outcome } : null;
};

/** If the callback already knew who began, there's nothing to finish, and the status has the account. */
const findConnected = async (access: Access, provider: string, name: string): Promise<Connected> => {
  const connections = await listConnections(access);
  const found = connections.find((one) => one.provider === provider && one.connection === name);
  if (found?.status !== 'connected' || !found.account) throw failure('integrations.not_connected');
  const { connection, account, siteNeeded } = found;
  return { provider, connection, outcome: 'connected', account, siteNeeded };
};

/** Finishes a flow with the session of the user who began it. */
export const complete = async (
  access: Access,
  { provider, connection }: { provider: string; connection: string },
  handover: Handover,
): Promise<Connected> => {
  if ('error' in handover) throw failure(handover.error);
  if ('outcome' in handover) return findConnected(access, provider, connection);
  return ask<Connected>(access, `${encodeURIComponent(provider)}/complete`, { attempt: handover.attempt });
};
