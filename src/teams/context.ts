import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, Mailer, NewId, Outbound, Pause, Secret } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { IdentitySettings } from './records/outside-identity.ts';

/** What the use cases of this room work with. */
export type TeamsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** Checked before any work that would contact somebody. */
  pause: Pause;
  outbound: Outbound;
  /** Null if no mail server is set up. */
  mailer: Mailer | null;
  /** The public base URL. */
  url: string;
  /** How much a team can have: members, access tokens and sessions for each member, and entries in its audit log. */
  limits: { members: number; tokens: number; sessions: number; auditEntries: number };
  /** How long the audit log is kept. */
  auditDays: number;
  /** The operator's own bearer token. It acts as the first team's admin. */
  adminToken: Secret | null;
  /** The operator's identity provider. */
  identity: IdentitySettings | null;
  /** Empties this process's cache of callers. Call after any change to tokens, sessions, roles or members. */
  forgetCallers(): void;
};
