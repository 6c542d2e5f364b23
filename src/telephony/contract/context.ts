import type { Jobs } from '../../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Kept } from './delivery.ts';
import type { TelephonyProvider } from './provider.ts';
import type { RecordingStorage } from './recording-storage.ts';

/** What this room's use cases work with. */
export type TelephonyContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Pick<Jobs, 'enqueue'>;
  outbound: Outbound;
  /** The public base URL. */
  url: string;
  /** The data directory. */
  data: string;
  production: boolean;
  /** How many of each a team can have. */
  limits: { accounts: number; numbers: number };
  /** Whether new recordings are sealed at rest. */
  sealed: boolean;
  providers: readonly TelephonyProvider[];
  storage: RecordingStorage;
  /** For a loop that blocks the event loop: waits until it's the caller's turn to continue. */
  turns: { wait(): Promise<void> };
  /** Looks for changed accounts and numbers now, so that a change made here applies immediately. */
  switchboard: { refresh(): Promise<void> };
  /** Called for every recognized delivery. */
  onDelivery(provider: string, outcome: Kept | 'refused' | 'held'): void;
  /** Called for every value from a provider that we don't know. */
  onUnknown(provider: string): void;
};
