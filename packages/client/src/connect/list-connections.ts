import type { Account, SessionSource } from '../../connect.d.ts';
import { type Access, ask } from './ask-patchbay.ts';
import { openSession } from './session.ts';

/** A connection as the status lists it. */
export type Listed = {
  provider: string;
  connection: string;
  status: string;
  account: Account | null;
  siteNeeded: boolean;
};

/** Lists all connections that the session is for, with at least one entry for each of its providers. */
export const listConnections = async (access: Access): Promise<Listed[]> =>
  (await ask<{ integrations: Listed[] }>(access, 'status')).integrations;

const underWay = new Map<unknown, Promise<Listed[]>>();

/**
 * Lists connections for all buttons of a page together, because they ask at the same time, and one session is enough.
 */
export const listTogether = (key: unknown, url: string, session: SessionSource): Promise<Listed[]> => {
  const list = async (): Promise<Listed[]> => listConnections({ url, ...(await openSession(session)) });
  const listing = underWay.get(key) ?? list().finally(() => underWay.delete(key));
  underWay.set(key, listing);
  return listing;
};
