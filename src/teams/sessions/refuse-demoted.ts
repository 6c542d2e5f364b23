import type { Caller } from '../../http/index.ts';
import type { Queries } from '../../platform/index.ts';
import { callerRemoved } from '../errors.ts';
import { getUser } from '../records/user-store.ts';

/** Ends the download of an admin who was demoted. The operator isn't a member. */
export const refuseDemoted = async (
  queries: Queries,
  { teamId, userId, role, via }: Pick<Caller, 'teamId' | 'userId' | 'role' | 'via'>,
): Promise<void> => {
  if (role !== 'admin' || via === 'operator' || via === 'admin_token') return;
  if ((await getUser(queries, teamId, userId))?.role !== 'admin') throw callerRemoved();
};
