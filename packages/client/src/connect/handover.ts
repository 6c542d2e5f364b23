import type { Account, Connected } from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';
import { type Access, ask } from './ask-patchbay.ts';
import { listConnections } from './list-connections.ts';

/** What the return page passes on to the page that has the session. Only Patchbay can tell whether it's true. */
export type Handover = { attempt: string } | { outcome: 'connected' } | { error: string };

export const RECEIVED = 'received';

const CANCELED = 'connect.canceled';

export const cancellation = (): PatchbayError => new PatchbayError(CANCELED, 'Connecting was canceled.');

const failure = (code: string): PatchbayError =>
  code === CANCELED ? cancellation() : new PatchbayError(code, `The account was not connected: ${code}.`);

const isAttempt = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value);
const isCode = (value: unknown): value is string => typeof value === 'string' && /^\w+\.\w+$/.test(value);

/** Reads a handover from a message or an address. Ignores everything else in it. */
export const toHandover = (value: unknown): Handover | null => {
  const { attempt, outcome, error } = Object(value) as Record<string, unknown>;
  if (isAttempt(attempt)) return { attempt };
  if (isCode(error)) return { error };
  return outcome === 'connected' ? { outcome } : null;
};

/** The flow that was begun, and the account that the connection had before it. */
export type Begun = { provider: string; connection: string; replaces: Account | null };

/** Finds the connected account in the status. The callback knew who began the flow, so it has already finished it. */
const findConnected = async (access: Access, { provider, connection: name, replaces }: Begun): Promise<Connected> => {
  const connections = await listConnections(access);
  const found = connections.find((one) => one.provider === provider && one.connection === name);
  if (found?.status !== 'connected' || !found.account) throw failure('integrations.not_connected');
  const { connection, account, siteNeeded } = found;
  const previousAccount = replaces?.id && account.id && replaces.id !== account.id ? replaces : null;
  return { provider, connection, outcome: 'connected', account, previousAccount, siteNeeded };
};

/** Finishes a flow with the session of the user who began it. */
export const complete = async (access: Access, begun: Begun, handover: Handover): Promise<Connected> => {
  if ('error' in handover) throw failure(handover.error);
  if ('outcome' in handover) return findConnected(access, begun);
  return ask<Connected>(access, `${encodeURIComponent(begun.provider)}/complete`, { attempt: handover.attempt });
};
