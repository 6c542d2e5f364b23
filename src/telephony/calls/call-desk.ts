import type { Clock, Database, Log, NewId } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { RecordingRow } from '../recordings/recording-store.ts';
import type { CallExports } from './call-exports.ts';
import type { CallQuery } from './call-query.ts';
import { type CallSummary, toCallSummary } from './call-summary.ts';
import { getCallStory } from './get-call-story.ts';
import { listCallPage } from './list-call-page.ts';
import { returnCall } from './return-call.ts';
import { createCallWatch } from './watch-calls.ts';

export type CallDeskDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  log: Log;
  providers: readonly TelephonyProvider[];
  writeCsv: CallExports;
};

const toShownRecording = ({ id, state, problem, durationMs, archivedAt, removedAt }: RecordingRow) => ({
  id,
  state,
  problem,
  durationMs,
  archivedAt,
  removedAt,
});

/** A team's calls, for the rooms that show them. */
export const createCallDesk = (dependencies: CallDeskDependencies) => {
  const { vault, providers, writeCsv } = dependencies;
  return {
    /** Newest first. */
    async list(
      teamId: string,
      query: CallQuery,
      limit: number,
    ): Promise<{ calls: CallSummary[]; nextCursor: string | null }> {
      const { calls, nextCursor } = await listCallPage(dependencies, teamId, query, limit);
      return { calls: await Promise.all(calls.map((row) => toCallSummary(vault, row))), nextCursor };
    },
    writeCsv,
    /** Refuses if the team has no such call. */
    async getStory(teamId: string, id: string) {
      const { call, evidence, events, recordings } = await getCallStory(dependencies, teamId, id);
      return {
        call: await toCallSummary(vault, call),
        providerName: providers.find(({ id: known }) => known === call.provider)?.name ?? call.provider,
        evidence,
        events,
        recordings: recordings.map(toShownRecording),
      };
    },
    async markReturned(who: { teamId: string; userId: string }, actor: AuditActor, id: string): Promise<void> {
      await returnCall(dependencies, who, actor, id);
    },
    watch: createCallWatch(dependencies),
  };
};

export type CallDesk = ReturnType<typeof createCallDesk>;
/** A call as it is shown, with everything that happened to it. */
export type CallStory = Awaited<ReturnType<CallDesk['getStory']>>;
