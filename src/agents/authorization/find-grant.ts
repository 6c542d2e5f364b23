import { digestOfIssued, getIssued } from '../../oauth/index.ts';
import type { Clock, Database } from '../../platform/index.ts';
import { PREFIXES } from './paths.ts';

const ACCESS_TOKEN = new RegExp(`^${PREFIXES.access}([\\w-]{43})$`);

/** Finds the grant of a client's access token, without loading the OAuth server. */
export const createFindGrant =
  ({ database, clock }: { database: Database; clock: Clock }) =>
  async (token: string): Promise<string | null> => {
    const id = ACCESS_TOKEN.exec(token)?.[1];
    if (id === undefined) return null;
    const digest = digestOfIssued('AccessToken', id);
    return (await getIssued(database, 'agent_issued', digest, clock.now()))?.grantId ?? null;
  };
