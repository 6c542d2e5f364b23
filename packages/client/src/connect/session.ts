import type { SessionSource } from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';

/** How long a flow can be finished after it began. */
const FLOW_MS = 600_000;
/** The shortest lifetime of a session, in case the clock of this machine is wrong. */
const SHORTEST_MS = 60_000;

/** How long to wait for a flow that this session began. */
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
