import { lockTeam } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { type ErasedCall, insertErasedCalls } from '../processing/erased-call-store.ts';

/**
 * From now on, what is reported about these calls is refused. Deliveries that are just being processed are waited for, so
 * whatever became of them can be found and erased afterward.
 */
export const refuseCalls = async (
  { database, clock }: Pick<TelephonyContext, 'database' | 'clock'>,
  teamId: string,
  calls: readonly Omit<ErasedCall, 'teamId'>[],
): Promise<void> => {
  if (calls.length === 0) return;
  await database.transaction(async (tx) => {
    await lockTeam(tx, teamId);
    await insertErasedCalls(
      tx,
      calls.map((call) => ({ teamId, ...call })),
      clock.now(),
    );
  });
};
