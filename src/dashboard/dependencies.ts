import type { Integrations } from '../integrations/index.ts';
import type { Clock, Database, Log, NewId } from '../platform/index.ts';
import type { Reports } from '../reports/index.ts';
import type { Telephony } from '../telephony/index.ts';
import type { Vault } from '../vault/index.ts';

/** What the pages are made from: every room shows what it knows through its front door. */
export type DashboardDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  /** The public base address. */
  url: string;
  production: boolean;
  integrations: Integrations;
  telephony: Telephony;
  reports: Reports;
  forgetCallers(): void;
};
