import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, Mailer, NewId, Outbound, Pause, Secret } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { IdentitySettings } from './records/outside-identity.ts';
import type { BindAllowed } from './tokens/token-rights.ts';

/** The dependencies of the use cases for teams. Passed in by `app.ts`. */
export type TeamsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** Checked before anything is sent to people or other services. */
  pause: Pause;
  outbound: Outbound;
  /** Null if no mail server is set up. */
  mailer: Mailer | null;
  /** The public base URL. */
  url: string;
  /** The most that a team can have: members, tokens and sessions for each member, and entries in its audit log. */
  limits: { members: number; tokens: number; sessions: number; auditEntries: number };
  /** How long the audit log is kept. */
  auditDays: number;
  /** The operator's own bearer token. It acts as the first team's admin. */
  adminToken: Secret | null;
  /** The operator's identity provider. */
  identity: IdentitySettings | null;
  bindAllowed: BindAllowed;
  /** Empties this process's cache of callers. Call after any change to tokens, sessions, roles or members. */
  forgetCallers(): void;
};
