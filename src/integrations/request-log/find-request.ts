import { timeOfId } from '../../platform/index.ts';
import { type ListedRequest, listRequests, type RequestLogContext } from './list-requests.ts';

/** How many requests can have ended in the same millisecond. It's far more than a team can make. */
const MOST = 100;

/** Finds one use of a team's connections. Null if there is none with this ID, or if it's too old to be listed. */
export const findRequest = async (
  context: RequestLogContext,
  teamId: string,
  id: string,
): Promise<ListedRequest | null> => {
  const at = timeOfId(id);
  if (Number.isNaN(at)) return null;
  const { rows } = await listRequests(context, teamId, { limit: MOST, since: at, until: at + 1 });
  return rows.find((row) => row.id === id) ?? null;
};
