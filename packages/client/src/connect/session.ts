import { PatchbayError } from '../patchbay-error.ts';

/** What the product's backend got when it created the connect session, or only the token of it. */
export type Session = string | { token: string; expiresAt?: string };

export type SessionSource = Session | Promise<Session> | (() => Session | Promise<Session>);

/** A state, and so an attempt, can't be finished after this. */
const FLOW_MS = 600_000;
/** However wrong the clock of this machine is: no session is shorter. */
const SHORTEST_MS = 60_000;

/** How long it's worth waiting for what this session began. */
const lifetimeOf = (expiresAt: string | undefined): number => {
  const ms = expiresAt === undefined ? FLOW_MS : Date.parse(expiresAt) - Date.now();
  return Number.isNaN(ms) ? FLOW_MS : Math.min(Math.max(ms, SHORTEST_MS), FLOW_MS);
};

export const openSession = async (source: SessionSource): Promise<{ token: string; lifetimeMs: number }> => {
  const given = await (typeof source === 'function' ? source() : source);
  const { token, expiresAt } = typeof given === 'string' ? { token: given, expiresAt: undefined } : Object(given);
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token))
    throw new PatchbayError('connect.session_missing', 'A connect session is needed.');
  return { token, lifetimeMs: lifetimeOf(expiresAt) };
};
