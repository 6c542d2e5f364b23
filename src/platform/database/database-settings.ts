import type { Secret } from '../secret.ts';
import type { CommitCount } from './sqlite/commit-bell.ts';

export type DatabaseSettings = {
  url: Secret | null;
  dataDirectory: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** How long `scan` may take. */
  scanTimeoutMs?: number;
  /** A second database of the same process. The first one takes care of the file for both. */
  beside?: boolean;
  /** Shared by all of them, for SQLite. */
  commits?: CommitCount;
};
