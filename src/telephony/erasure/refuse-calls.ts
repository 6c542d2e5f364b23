import { lockTeam } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { type ErasedCall, insertErasedCalls } from '../processing/erased-call-store.ts';

/**
 * Refuses later deliveries about these calls. Processing holds a shared lock on the team, so `lockTeam` waits for
 * deliveries that are being processed. What they add can then be found and erased.
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
