import type { Recorder } from '../events/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { Kept } from './contract/delivery.ts';
import type { TelephonyProvider } from './contract/provider.ts';
import type { RecordingStorage } from './contract/recording-storage.ts';
import type { Transcriber } from './transcripts/transcriber.ts';

/** What a team can store only up to a limit. */
export type Stored = 'payloads' | 'recordings';

/** The dependencies of telephony's use cases. */
export type TelephonyContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Pick<Jobs, 'enqueue'>;
  /** Records what happens to a call or a recording, in the transaction of its change. */
  record: Recorder['record'];
  /** Called after another thread has recorded events. */
  onRecorded(): void;
  outbound: Outbound;
  /** The operator's server for transcripts. Null if there is none. */
  transcriber: Transcriber | null;
  /** The public base URL. */
  url: string;
  /** Folder for recordings. With a bucket, recordings are here only until they are complete. */
  recordingsFolder: string;
  production: boolean;
  /** How many accounts and numbers a team can have, and how many bytes it can store. */
  limits: {
    accounts: number;
    numbers: number;
    payloadBytes: number;
    payloadBytesPerDay: number;
    recordingBytes: number;
  };
  /** Whether new recordings are sealed at rest. */
  sealed: boolean;
  providers: readonly TelephonyProvider[];
  storage: RecordingStorage;
  /** Long loops await `wait` after each piece of work, so that they don't block the event loop. */
  turns: { wait(): Promise<void> };
  /** Reads changed accounts and numbers now, so that a change made here applies immediately. */
  switchboard: { refresh(): Promise<void> };
  /** Teams that have reached a storage limit. */
  fullTeams: {
    has(stored: Stored, teamId: string): boolean;
    add(stored: Stored, teamId: string): void;
    remove(stored: Stored, teamId: string): void;
    count(stored: Stored): number;
  };
  /** Called for every recognized delivery. */
  onDelivery(provider: string, outcome: Kept | 'refused' | 'held'): void;
  /** Called for every unknown value that a provider sends. */
  onUnknown(provider: string): void;
};
