import { COMMAND_LINE, recordAudit } from '../../teams/index.ts';
import { listNamedCalls } from '../calls/named-call-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { ErasedCall } from '../processing/erased-call-store.ts';
import { ERASED_AT_ONCE, eraseCalls } from './erase-calls.ts';
import { refuseCalls } from './refuse-calls.ts';

/**
 * Erases calls that had been erased, but came back when an older backup was restored. Later deliveries about them are
 * refused. Deliveries without a call that mention the same number can't be found, because the number itself is no
 * longer known. Returns how many calls there were.
 */
export const eraseCallsAgain = async (context: TelephonyContext, erased: readonly ErasedCall[]): Promise<number> => {
  let count = 0;
  for (const [teamId, ofTeam] of Map.groupBy(erased, (call) => call.teamId))
    for (let from = 0; from < ofTeam.length; from += ERASED_AT_ONCE) {
      const page = ofTeam.slice(from, from + ERASED_AT_ONCE);
      const named = await listNamedCalls(context.database, page);
      await refuseCalls(context, teamId, named);
      const calls = named.flatMap(({ id, accountId, callKey: externalId }) =>
        id === null ? [] : [{ id, accountId, externalId }],
      );
      // A call with very many recordings takes several rounds.
      for (let left = calls; left.length > 0; ) {
        const counts = await eraseCalls(context, teamId, left, async (tx, detail) =>
          recordAudit(context, tx, teamId, COMMAND_LINE, { action: 'telephony.number.erase', detail }),
        );
        count += counts.calls;
        const there = new Set((await listNamedCalls(context.database, page)).map(({ id }) => id));
        left = left.filter(({ id }) => there.has(id));
      }
    }
  return count;
};
