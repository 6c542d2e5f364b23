import { getCall, type ListedCall, listFacts } from '../calls/call-store.ts';
import { toCallSummaries } from '../calls/call-summary.ts';
import { countWaitingCallers } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import { callUnknown } from '../errors.ts';
import { listRecordingsOfCall, type RecordingRow } from '../recordings/recording-store.ts';
import { createCallExports } from './call-exports.ts';
import { type CallPage, createCallPages, type WaitingQuery } from './call-pages.ts';
import type { CallQuery } from './call-query.ts';
import { createCallWatch } from './call-watch.ts';
import { createReturnMarks } from './return-marks.ts';
import { MOST_COUNTED, toShownCalls } from './shown-call.ts';
import { openTranscripts, type ShownTranscript } from './shown-transcript.ts';

const toShownRecording = (
  { id, state, problem, startedAt, durationMs, archivedAt, removedAt }: RecordingRow,
  transcript: ShownTranscript | null,
) => ({ ...{ id, state, problem, startedAt, durationMs, archivedAt, removedAt }, transcript });

/** The use cases about a team's calls. */
export const createCalls = (context: TelephonyContext) => {
  const { database, providers } = context;
  const marks = createReturnMarks(context);
  const pages = createCallPages(context);

  const find = async (teamId: string, id: string) => {
    const call = await getCall(database, teamId, id);
    if (!call) throw callUnknown();
    return call;
  };

  const summarizeAll = (rows: readonly ListedCall[]) => toCallSummaries(context, rows);

  const show = async ({ rows, ...rest }: CallPage) => ({ calls: await toShownCalls(context, rows), ...rest });

  return {
    /**
     * Lists a page of calls, newest first, with the cursor of the next page, or null if there are no more. `hears`:
     * whether a search also finds what was said in recordings.
     */
    async list(teamId: string, query: CallQuery, limit: number, hears = true) {
      const { rows, nextCursor } = await pages.list(teamId, query, limit, hears);
      return { calls: await summarizeAll(rows), nextCursor };
    },
    /** Lists calls for a page of the dashboard, with the additional fields of `ShownCall`. */
    show: async (teamId: string, query: CallQuery, limit: number) => show(await pages.list(teamId, query, limit)),
    /** Lists callers who need a call back. Each is listed once, with their newest call. */
    showWaiting: async (teamId: string, query: WaitingQuery, limit: number) =>
      show(await pages.listWaiting(teamId, query, limit)),
    /** Counts callers who need a call back, up to `MOST_COUNTED`, and how many of these left a message. */
    countWaiting: (teamId: string) => countWaitingCallers(database, teamId, MOST_COUNTED),
    /** Returns a call with everything that happened to it, in order. */
    async getStory(teamId: string, id: string) {
      const call = await find(teamId, id);
      const [[summary], events, recordings] = await Promise.all([
        summarizeAll([call]),
        listFacts(database, teamId, id),
        listRecordingsOfCall(database, teamId, call),
      ]);
      if (!summary) throw callUnknown();
      const transcripts = await openTranscripts(
        context,
        teamId,
        recordings.map((recording) => recording.id),
      );
      const evidence: readonly string[] = JSON.parse(call.evidence);
      return {
        call: summary,
        providerName: providers.find((known) => known.id === call.provider)?.name ?? call.provider,
        /** The keys of the events that decided the outcome. */
        evidence,
        events,
        recordings: recordings.map((row) => toShownRecording(row, transcripts.get(row.id) ?? null)),
      };
    },
    /** Marks unanswered calls as returned by other means. A call that is already marked keeps its mark. */
    markReturned: async (...wish: Parameters<typeof marks.mark>) => summarizeAll(await marks.mark(...wish)),
    /** Takes marks back that are at most `DAYS_TO_TAKE_BACK` days old. */
    unmarkReturned: async (...wish: Parameters<typeof marks.unmark>) => summarizeAll(await marks.unmark(...wish)),
    writeCsv: createCallExports(context),
    ...createCallWatch(context),
  };
};

export type Calls = ReturnType<typeof createCalls>;
export type CallStory = Awaited<ReturnType<Calls['getStory']>>;
