import { join } from 'node:path';
import type { Routes } from '../http/index.ts';
import type { EndedPeople } from '../integrations/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { type BucketSettings, createEventLoopTurns, type Outbound, type Transaction } from '../platform/index.ts';
import { getFirstTeamId } from '../teams/index.ts';
import { ensureQuickAccount, type QuickAccount } from './accounts/quick-account.ts';
import { createSwitchboard } from './accounts/switchboard.ts';
import { accountRoutes } from './admin/account-routes.ts';
import { createAdministration } from './admin/administration.ts';
import { numberRoutes } from './admin/number-routes.ts';
import { storageRoutes } from './admin/storage-routes.ts';
import { createRecordingStorage } from './audio/create-recording-storage.ts';
import { removeLeftovers } from './audio/incoming-files.ts';
import { createFullTeams } from './budget/full-teams.ts';
import { createPayloadBudget } from './budget/payload-budget.ts';
import { callRoutes } from './call-log/call-routes.ts';
import { createCalls } from './call-log/calls.ts';
import type { TelephonyContext } from './context.ts';
import { recordingKey } from './contract/recording-storage.ts';
import { callLogRoutes } from './crm/call-log-routes.ts';
import type { CrmsContext } from './crm/context.ts';
import { createCrms } from './crm/crms.ts';
import { eraseCrmData, handleEraseCrmData } from './crm/erase-crm-data.job.ts';
import { createDeliveryJournal, createDeliveryKeeper } from './deliveries/delivery-keeper.ts';
import { createRefusalLog } from './deliveries/refusal-log.ts';
import { webhookRoutes } from './deliveries/webhook-routes.ts';
import { eraseCallsAgain } from './erasure/erase-again.ts';
import { createCallEraser } from './erasure/erase-team.ts';
import { handlePruneTelephony, PRUNE_TELEPHONY_EVERY_MS, pruneTelephony } from './erasure/prune-telephony.job.ts';
import type { ErasedCall } from './processing/erased-call-store.ts';
import { PROCESS_EVERY_MS, processDeliveries } from './processing/process-deliveries.job.ts';
import { createProcessing } from './processing/processing.ts';
import type { ProcessingThreadSettings } from './processing/processing-thread.ts';
import { PROVIDERS } from './providers/index.ts';
import { hasNewestAudio, readAllAudio } from './recordings/all-audio.ts';
import { fetchRecording, handleFetchRecording } from './recordings/fetch-recording.job.ts';
import { recordingRoutes } from './recordings/recording-routes.ts';
import { handleRemoveRecording, removeRecording } from './recordings/remove-recording.job.ts';
import { createDemo } from './simulator/demo.ts';
import { handleTranscribeRecording } from './transcription/handle-transcription.ts';
import { transcribeRecording } from './transcripts/transcribe-recording.job.ts';

/** How many milliseconds all long loops together may take in one turn of the event loop. */
const SHARE_MS = 4;

/** Options from `app.ts`. */
type TelephonyOptions = Omit<TelephonyContext, 'providers' | 'storage' | 'switchboard' | 'turns' | 'fullTeams'> &
  Pick<CrmsContext, 'pause' | 'people' | 'followNews'> & {
    jobs: Jobs;
    quickAccount: QuickAccount | null;
    /** The data directory. */
    data: string;
    /** Whether other processes store recordings in the same folder. */
    shared: boolean;
    /** The bucket for recordings, or null to store them as files. */
    bucket: BucketSettings | null;
    /** Outgoing requests to the bucket, which are made even while the service is paused. */
    bucketOutbound: Outbound;
    /** Settings for the processing thread, or null to process everything in this thread. */
    thread: ProcessingThreadSettings | null;
    /** How long a caller waits for fresh settings. */
    settingsPatienceMs: number | undefined;
  };

/** Registers telephony's jobs, and returns its routes and use cases. */
export const createTelephony = (options: TelephonyOptions) => {
  const { quickAccount, bucket, bucketOutbound, thread, data, shared, ...given } = options;
  const { jobs, newId } = given;
  const switchboard = createSwitchboard(given);
  const storage = createRecordingStorage({ ...given, outbound: bucketOutbound }, bucket);
  const fullTeams = createFullTeams(given);
  const made = {
    ...given,
    providers: PROVIDERS,
    storage,
    switchboard,
    fullTeams,
    turns: createEventLoopTurns(SHARE_MS),
  };
  const processing = createProcessing(made, thread);
  const payloadBudget = createPayloadBudget(made);
  const context = { ...made, processing, payloadBudget };
  const journal = createDeliveryJournal(context, join(data, 'journal'));
  const keeper = createDeliveryKeeper(context, journal);
  const refusals = createRefusalLog(context);
  const administration = createAdministration(context);
  const calls = createCalls(context);
  const crms = createCrms({ ...context, onNamed: calls.wake });
  const demo = given.production ? null : createDemo(context);

  jobs.handle(processDeliveries, () => processing.workOff());
  jobs.every(processDeliveries, { everyMs: PROCESS_EVERY_MS });
  jobs.handle(fetchRecording, handleFetchRecording(context));
  jobs.handle(eraseCrmData, handleEraseCrmData(context));
  jobs.handle(removeRecording, handleRemoveRecording(context));
  jobs.handle(transcribeRecording, handleTranscribeRecording(context));
  jobs.prune(pruneTelephony, { everyMs: PRUNE_TELEPHONY_EVERY_MS }, handlePruneTelephony(context));

  const routes: readonly Routes[] = [
    webhookRoutes({ ...context, keeper, refusals }),
    accountRoutes(administration),
    numberRoutes(administration),
    storageRoutes(administration),
    callRoutes(calls),
    callLogRoutes(crms),
    recordingRoutes(context),
  ];
  return {
    ...administration,
    routes,
    calls,
    /** Names callers and logs calls at the CRMs that teams have connected. */
    crms,
    eraser: createCallEraser(context),
    /** Erases calls again after a restore. */
    eraseCallsAgain: (erased: readonly ErasedCall[]) => eraseCallsAgain(context, erased),
    providers: PROVIDERS,
    /** The host that gets the audio of recordings, for numbers that want transcripts of it. Null if there is none. */
    transcriber: given.transcriber && new URL(given.transcriber.url).host,
    /** Erases what a connection's provider has said of callers, and what is known of its log. */
    async eraseCrmData(tx: Transaction, { names, log, isGone, ...which }: EndedPeople): Promise<void> {
      await jobs.enqueue(tx, eraseCrmData, { ...which, names, log: log ? (isGone ? 'all' : 'open') : 'none' });
    },
    /** Plays simulated calls. Null in production. */
    demo,
    /** Reads every recording of every team, for a backup. */
    readAllAudio: () => readAllAudio(context),
    /** Checks whether the audio of the newest recording is there. Returns null if there is no recording. */
    hasNewestAudio: () => hasNewestAudio(context),
    /** Counts the deliveries that wait in the journal for the database. */
    countJournaled: journal.count,
    /** Counts the teams that have reached a storage limit, as far as this process knows. */
    countFullTeams: fullTeams.count,
    /** The context of the use cases, for the simulator. */
    context,
    /** True if other processes with the same database can't read the recordings that this one stores. */
    keepsRecordingsToItself: given.database.engine === 'postgresql' && !bucket && !shared,
    /** Checks the bucket by deleting an object that doesn't exist. Throws if that fails. Null without a bucket. */
    checkBucket: bucket && (() => storage.remove(recordingKey({ teamId: newId(), id: newId() }))),
    /** Adds the operator's account to the first team, and loads all accounts, so that the first call isn't rejected. */
    async prepare(): Promise<void> {
      const teamId = await getFirstTeamId(given.database);
      if (quickAccount && teamId !== undefined) await ensureQuickAccount(context, teamId, quickAccount);
      await switchboard.refresh();
    },
    /**
     * Removes what a killed process left behind, and reads its journal into the database. Called only by the process
     * that serves requests.
     */
    async start(): Promise<void> {
      if (!shared) {
        await removeLeftovers(given.recordingsFolder, performance.timeOrigin).catch((err) =>
          given.log.warn({ err }, 'incomplete recordings could not be removed'),
        );
      }
      await keeper.start();
    },
    /** Resolves once all received deliveries are processed and counted. */
    async settle(): Promise<void> {
      await processing.settle();
      await refusals.flush();
      await payloadBudget.report();
    },
    async close(): Promise<void> {
      await demo?.close();
      await crms.close();
      await processing.close();
      await refusals.close();
      await keeper.close();
      await payloadBudget.close();
    },
  };
};

export type Telephony = ReturnType<typeof createTelephony>;
