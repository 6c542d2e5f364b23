import { join } from 'node:path';
import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { createTurnQueue } from '../platform/index.ts';
import { getFirstTeamId } from '../teams/index.ts';
import { ensureQuickAccount, type QuickAccount } from './accounts/quick-account.ts';
import { createSwitchboard } from './accounts/switchboard.ts';
import { accountRoutes } from './admin/account-routes.ts';
import { createAdministration } from './admin/administration.ts';
import { numberRoutes } from './admin/number-routes.ts';
import { storageRoutes } from './admin/storage-routes.ts';
import { removeLeftovers } from './audio/incoming-files.ts';
import { type BucketSettings, createRecordingBucket } from './audio/recording-bucket.ts';
import { createRecordingFiles } from './audio/recording-files.ts';
import { createFullTeams } from './budget/full-teams.ts';
import { createPayloadBudget } from './budget/payload-budget.ts';
import type { TelephonyContext } from './contract/context.ts';
import { recordingKey } from './contract/recording-storage.ts';
import { createJournal } from './deliveries/journal.ts';
import { createKeeper } from './deliveries/keeper.ts';
import { createRefusalLog } from './deliveries/refusal-log.ts';
import { webhookRoutes } from './deliveries/webhook-routes.ts';
import { callRoutes } from './desk/call-routes.ts';
import { createCalls } from './desk/calls.ts';
import { createTeamEraser } from './erasure/erase-team.ts';
import { handlePruneTelephony, PRUNE_TELEPHONY_EVERY_MS, pruneTelephony } from './erasure/prune-telephony.job.ts';
import { PROCESS_EVERY_MS, processDeliveries } from './processing/process-deliveries.job.ts';
import { createProcessing } from './processing/processing.ts';
import type { ProcessingThreadSettings } from './processing/processing-thread.ts';
import { PROVIDERS } from './providers/index.ts';
import { fetchRecording, handleFetchRecording } from './recordings/fetch-recording.job.ts';
import { recordingRoutes } from './recordings/recording-routes.ts';
import { handleRemoveRecording, removeRecording } from './recordings/remove-recording.job.ts';
import { createDemo } from './simulator/demo.ts';

/** How long long loops together may hold the event loop per turn. */
const SHARE_MS = 4;

/** What `app.ts` hands over. */
type TelephonyOptions = Omit<TelephonyContext, 'providers' | 'storage' | 'switchboard' | 'turns' | 'fullTeams'> & {
  jobs: Jobs;
  quickAccount: QuickAccount | null;
  /** Where recordings are stored; null for the data directory. */
  bucket: BucketSettings | null;
  /** What the processing thread needs; null to do everything in this one. */
  thread: ProcessingThreadSettings | null;
};

/** Builds the room: binds its jobs and returns its routes and use cases. */
export const createTelephony = ({ quickAccount, bucket, thread, ...given }: TelephonyOptions) => {
  const { jobs, newId } = given;
  const switchboard = createSwitchboard(given);
  const storage = bucket ? createRecordingBucket(given, bucket) : createRecordingFiles(given);
  const fullTeams = createFullTeams(given);
  const made = { ...given, providers: PROVIDERS, storage, switchboard, fullTeams, turns: createTurnQueue(SHARE_MS) };
  const processing = createProcessing(made, thread);
  const payloadBudget = createPayloadBudget(made);
  const context = { ...made, processing, payloadBudget };
  const keeper = createKeeper(context, createJournal(context, join(given.data, 'journal')));
  const refusals = createRefusalLog(context);
  const administration = createAdministration(context);
  const calls = createCalls(context);
  const demo = given.production ? null : createDemo(context);

  jobs.handle(processDeliveries, () => processing.workOff());
  jobs.every(processDeliveries, { everyMs: PROCESS_EVERY_MS });
  jobs.handle(fetchRecording, handleFetchRecording(context));
  jobs.handle(removeRecording, handleRemoveRecording(context));
  jobs.prune(pruneTelephony, { everyMs: PRUNE_TELEPHONY_EVERY_MS }, handlePruneTelephony(context));

  const routes: readonly Routes[] = [
    webhookRoutes({ ...context, keeper, refusals }),
    accountRoutes(administration),
    numberRoutes(administration),
    storageRoutes(administration),
    callRoutes(calls),
    recordingRoutes(context),
  ];
  return {
    ...administration,
    routes,
    calls,
    eraser: createTeamEraser(context),
    providers: PROVIDERS,
    /** Simulated calls; null in production. */
    demo,
    /** How many teams have reached a limit on what they can store, as far as this process knows. */
    countFullTeams: fullTeams.count,
    /** For the simulator. */
    context,
    /** Throws if the bucket can't delete an object that isn't there. Null if there is no bucket. */
    checkBucket: bucket && (() => storage.remove(recordingKey({ teamId: newId(), id: newId() }))),
    /** Adds the operator's account to the first team. Preloads accounts so the first call isn't rejected. */
    async prepare(): Promise<void> {
      const teamId = await getFirstTeamId(given.database);
      if (quickAccount && teamId !== undefined) await ensureQuickAccount(context, teamId, quickAccount);
      await switchboard.refresh();
    },
    /** Only in the process that serves: removes what a killed one left behind, and reads its journal into the database. */
    async start(): Promise<void> {
      await removeLeftovers(given.data, performance.timeOrigin).catch((err) =>
        given.log.warn({ err }, 'incomplete recordings could not be removed'),
      );
      await keeper.start();
    },
    /** Resolves once everything received is processed and counted. */
    async settle(): Promise<void> {
      await processing.drain();
      await refusals.flush();
      await payloadBudget.report();
    },
    async close(): Promise<void> {
      await demo?.close();
      await processing.close();
      await refusals.close();
      await keeper.close();
      await payloadBudget.close();
    },
  };
};

export type Telephony = ReturnType<typeof createTelephony>;
