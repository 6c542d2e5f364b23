import type { Secret } from '../secret.ts';
import type { CommitCount } from './sqlite/commit-bell.ts';

export type DatabaseSettings = {
  url: Secret | null;
  dataDirectory: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** How long `scan` may take. */
  scanTimeoutMs?: number;
  /** Opened beside another one of the same process, which looks after the file for both. */
  beside?: boolean;
  /** Shared by all who are opened so, for SQLite. */
  commits?: CommitCount;
};
