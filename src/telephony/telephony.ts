import { join } from 'node:path';
import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { accountRoutes } from './account-routes.ts';
import { callRoutes } from './call-routes.ts';
import { createJournal } from './journal.ts';
import { createKeeper } from './keep-delivery.ts';
import { numberRoutes } from './number-routes.ts';
import { handleProcessDeliveries, PROCESS_EVERY_MS, processDeliveries } from './process-deliveries.job.ts';
import { createProcessor } from './process-deliveries.ts';
import { PROVIDERS } from './providers/index.ts';
import type { ReceiveDependencies } from './receive-delivery.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createSwitchboard } from './switchboard.ts';
import { webhookRoutes } from './webhook-routes.ts';

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
  onDelivery: ReceiveDependencies['onDelivery'];
};

/** Puts the room together: binds its jobs, and answers its routes and what others need of it. */
export const createTelephony = (dependencies: TelephonyDependencies) => {
  const { jobs, data, vault, log } = dependencies;
  const providers = PROVIDERS;
  const switchboard = createSwitchboard(dependencies);
  const journal = createJournal({ directory: join(data, 'journal'), vault, log });
  const keeper = createKeeper({ ...dependencies, journal });
  const processor = createProcessor(dependencies);
  const refusals = createRefusalLog({ ...dependencies, switchboard });
  const basis = { ...dependencies, providers, switchboard, processor };

  jobs.handle(processDeliveries, handleProcessDeliveries(basis));
  jobs.every(processDeliveries, { everyMs: PROCESS_EVERY_MS });

  const routes: readonly Routes[] = [
    webhookRoutes({ ...basis, keeper, refusals }),
    accountRoutes(basis),
    numberRoutes(basis),
    callRoutes(dependencies),
  ];
  return {
    routes,
    providers,
    switchboard,
    /** Until what was received is processed and counted. */
    async settle(): Promise<void> {
      await processor.drain();
      await refusals.flush();
    },
    async close(): Promise<void> {
      await processor.drain();
      await refusals.close();
      await keeper.close();
    },
  };
};

export type Telephony = ReturnType<typeof createTelephony>;
