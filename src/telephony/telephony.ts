import { join } from 'node:path';
import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import { createAuditLog, getFirstTeamId } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import type { TelephonyLimits } from './accounts/account.ts';
import { ensureQuickAccount, type QuickAccount } from './accounts/quick-account.ts';
import { createSwitchboard } from './accounts/switchboard.ts';
import { accountRoutes } from './admin/account-routes.ts';
import { numberRoutes } from './admin/number-routes.ts';
import { createTelephonySettings } from './admin/telephony-settings.ts';
import { type BucketSettings, createRecordingBucket } from './audio/recording-bucket.ts';
import { createRecordingFiles } from './audio/recording-files.ts';
import { recordingKey } from './audio/recording-storage.ts';
import { createCallDesk } from './calls/call-desk.ts';
import { createCallExports } from './calls/call-exports.ts';
import { callRoutes } from './calls/call-routes.ts';
import { createJournal } from './deliveries/journal.ts';
import { createKeeper } from './deliveries/keep-delivery.ts';
import type { ReceiveDependencies } from './deliveries/receive-delivery.ts';
import { createRefusalLog } from './deliveries/refusal-log.ts';
import { webhookRoutes } from './deliveries/webhook-routes.ts';
import { handlePruneTelephony, PRUNE_TELEPHONY_EVERY_MS, pruneTelephony } from './erasure/prune-telephony.job.ts';
import { handleProcessDeliveries, PROCESS_EVERY_MS, processDeliveries } from './processing/process-deliveries.job.ts';
import { createProcessing } from './processing/processing.ts';
import type { ProcessingThreadSettings } from './processing/processing-thread.ts';
import { PROVIDERS } from './providers/index.ts';
import { fetchRecording, handleFetchRecording } from './recordings/fetch-recording.job.ts';
import { recordingRoutes } from './recordings/recording-routes.ts';
import { handleRemoveRecording, removeRecording } from './recordings/remove-recording.job.ts';
import { createDemo } from './simulator/play-demo-call.ts';

export type TelephonyDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  outbound: Outbound;
  url: string;
  /** The data directory. */
  data: string;
  production: boolean;
  limits: TelephonyLimits;
  onDelivery: ReceiveDependencies['onDelivery'];
  onUnknown(provider: string): void;
  quickAccount: QuickAccount | null;
  /** Where recordings are stored; null for the data directory. */
  bucket: BucketSettings | null;
  /** Whether recordings are sealed at rest. */
  sealed: boolean;
  /** What the processing thread needs; null to do everything in this one. */
  thread: ProcessingThreadSettings | null;
};

/** Puts the room together: binds its jobs and returns its routes and what others need. */
export const createTelephony = (dependencies: TelephonyDependencies) => {
  const { jobs, data: directory, vault, log, newId, quickAccount, bucket } = dependencies;
  const providers = PROVIDERS;
  const switchboard = createSwitchboard(dependencies);
  const journal = createJournal({ directory: join(directory, 'journal'), vault, log });
  const keeper = createKeeper({ ...dependencies, journal });
  const processing = createProcessing({ ...dependencies, providers });
  const refusals = createRefusalLog({ ...dependencies, switchboard });
  const storage = bucket ? createRecordingBucket(dependencies, bucket) : createRecordingFiles({ directory });
  const writeCsv = createCallExports(dependencies);
  const basis = { ...dependencies, writeCsv, directory, providers, switchboard, processing, storage };

  jobs.handle(processDeliveries, handleProcessDeliveries(basis));
  jobs.every(processDeliveries, { everyMs: PROCESS_EVERY_MS });

  jobs.handle(fetchRecording, handleFetchRecording(basis));
  jobs.handle(removeRecording, handleRemoveRecording(basis));
  jobs.handle(pruneTelephony, handlePruneTelephony(basis));
  jobs.every(pruneTelephony, { everyMs: PRUNE_TELEPHONY_EVERY_MS });

  const routes: readonly Routes[] = [
    webhookRoutes({ ...basis, keeper, refusals }),
    accountRoutes(basis),
    numberRoutes(basis),
    callRoutes(basis),
    recordingRoutes({ ...basis, audit: createAuditLog(dependencies) }),
  ];
  const demo = dependencies.production ? null : createDemo(basis);
  return {
    routes,
    calls: createCallDesk(basis),
    /** Simulated calls; null in production. */
    demo,
    /** For the pages of admins. */
    settings: createTelephonySettings(basis),
    /** What the commands need on top of what every room has. */
    forCommands: { providers, switchboard, processing, storage },
    /** Throws if the bucket can't delete an object that isn't there. Null if there is no bucket. */
    checkBucket: bucket && (() => storage.remove(recordingKey({ teamId: newId(), id: newId() }))),
    /** Adds the operator's account to the first team. Preloads accounts so the first call isn't rejected. */
    async prepare(): Promise<void> {
      const teamId = await getFirstTeamId(dependencies.database);
      if (quickAccount && teamId !== undefined) await ensureQuickAccount(basis, teamId, quickAccount);
      await switchboard.refresh();
    },
    /** Reads the journal back into the database. Only in the process that serves. */
    start: () => keeper.start(),
    /** Resolves once everything received is processed and counted. */
    async settle(): Promise<void> {
      await processing.drain();
      await refusals.flush();
    },
    async close(): Promise<void> {
      await demo?.close();
      await processing.close();
      await refusals.close();
      await keeper.close();
    },
  };
};

export type Telephony = ReturnType<typeof createTelephony>;
