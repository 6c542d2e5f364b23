import { type AuditActor, recordAudit } from '../../teams/index.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { callNotMissed, callUnknown } from '../errors.ts';
import { listRecordingsOfCall, type RecordingRow } from '../recordings/recording-store.ts';
import { isUntaken } from './call.ts';
import { toCallEvent } from './call-event.ts';
import { createCallExports } from './call-exports.ts';
import { type CallQuery, printCursor, toCallFilter } from './call-query.ts';
import { getCall, listCallEvents, listCalls, listReturns, markCallReturned } from './call-store.ts';
import { toCallSummary } from './call-summary.ts';
import { createCallWatch } from './call-watch.ts';

const toShownRecording = ({ id, state, problem, startedAt, durationMs, archivedAt, removedAt }: RecordingRow) => ({
  ...{ id, state, problem, startedAt, durationMs, archivedAt, removedAt },
});

/** A team's calls. */
export const createCalls = (context: TelephonyContext) => {
  const { database, vault, clock, providers, record } = context;

  const find = async (teamId: string, id: string) => {
    const call = await getCall(database, teamId, id);
    if (!call) throw callUnknown();
    return call;
  };

  return {
    /** A page, newest first, and the cursor for the next; null if there are no more. */
    async list(teamId: string, query: CallQuery, limit: number) {
      const rows = await listCalls(database, teamId, await toCallFilter(vault, teamId, query), limit + 1);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const calls = await Promise.all(page.map((row) => toCallSummary(vault, row)));
      return { calls, nextCursor: rows.length > limit && last ? printCursor(last) : null };
    },
    /** A call with everything that happened to it, in order. */
    async getStory(teamId: string, id: string) {
      const call = await find(teamId, id);
      const [events, recordings] = await Promise.all([
        listCallEvents(database, teamId, id),
        listRecordingsOfCall(database, teamId, call),
      ]);
      const evidence: readonly string[] = JSON.parse(call.evidence);
      return {
        call: await toCallSummary(vault, call),
        providerName: providers.find((known) => known.id === call.provider)?.name ?? call.provider,
        /** The keys of the events that decided the outcome. */
        evidence,
        events,
        recordings: recordings.map(toShownRecording),
      };
    },
    /** Marks an unanswered call as returned by other means. The first mark stays. */
    async markReturned({ teamId, userId }: { teamId: string; userId: string }, actor: AuditActor, id: string) {
      if (!isUntaken(await find(teamId, id))) throw callNotMissed();
      await database.transaction(async (tx) => {
        if ((await markCallReturned(tx, teamId, id, { by: userId, now: clock.now() })) === 0) return;
        await recordAudit(context, tx, teamId, actor, { action: 'call.returned', target: id });
        const returned = await getCall(tx, teamId, id);
        if (returned) await record(tx, await toCallEvent(context, tx, 'call.returned', returned));
      });
      return toCallSummary(vault, await find(teamId, id));
    },
    /** Which of these unanswered calls a later call has returned. */
    async findReturned(teamId: string, ids: readonly string[]): Promise<string[]> {
      const calls = await listReturns(
        database,
        ids.map((id) => ({ teamId, id })),
      );
      return calls.filter((call) => (call.calledBackAt ?? call.calledAgainAt) !== null).map(({ id }) => id);
    },
    writeCsv: createCallExports(context),
    watch: createCallWatch(context),
  };
};

export type Calls = ReturnType<typeof createCalls>;
export type CallStory = Awaited<ReturnType<Calls['getStory']>>;
