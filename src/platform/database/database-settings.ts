import type { Secret } from '../secret.ts';
import type { CommitCount } from './sqlite/commit-bell.ts';

export type DatabaseSettings = {
  url: Secret | null;
  dataDirectory: string;
  poolSize: number;
  statementTimeoutMs: number;
  scanTimeoutMs?: number;
  /**
   * True for an additional connection to a database that this process has already opened. On SQLite, checkpoints are
   * left to the first connection.
   */
  beside?: boolean;
  /** False if SQLite itself copies a long log into its file. By default, a thread of its own does, and much sooner. */
  checkpointThread?: boolean;
  /** Counts the commits of all threads that have the same SQLite file open. Unused on PostgreSQL. */
  commits?: CommitCount;
};
