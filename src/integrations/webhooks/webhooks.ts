import { join } from 'node:path';
import type { Routes } from '../../http/index.ts';
import { withContext } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { addressRoutes } from './addresses/address-routes.ts';
import { getOperatorWebhook } from './addresses/get-operator-webhook.ts';
import { getWebhookSetUp, putAddress, removeAddress, removeSecret, rotateAddress } from './addresses/manage-address.ts';
import { createOperatorSightings } from './addresses/operator-sightings.ts';
import { createSightings } from './addresses/sightings.ts';
import { handlePruneWebhooks, PRUNE_WEBHOOKS_EVERY_MS, pruneWebhooks } from './prune-webhooks.job.ts';
import { createArrivalJournal, createArrivalKeeper } from './receiving/arrival-keeper.ts';
import type { WebhookOutcome } from './receiving/receive-message.ts';
import { createOperatorReceivers, type WebhookSecrets } from './receiving/receiver.ts';
import { receivingRoutes } from './receiving/receiving-routes.ts';
import type { TeamReceivers } from './receiving/team-receivers.ts';
import { createUnmatchedBudget } from './receiving/unmatched-budget.ts';

export type WebhookSettings = {
  webhookSecrets: WebhookSecrets;
  /** The data directory. While the database is unavailable, messages are kept in it. */
  data: string;
  onWebhook(provider: string, outcome: WebhookOutcome): void;
};

/** Builds what receives providers' webhooks. */
export const createWebhooks = (
  context: IntegrationsContext,
  teams: TeamReceivers,
  { webhookSecrets, data, onWebhook }: WebhookSettings,
) => {
  const { jobs, clock } = context;
  const recording = { ...context, unmatched: createUnmatchedBudget({ clock }) };
  const journal = createArrivalJournal(context, join(data, 'webhook-journal'));
  const keeper = createArrivalKeeper(recording, journal);
  const operatorSightings = createOperatorSightings(context);
  const sightings = createSightings({ ...context, operatorSightings });
  const operator = createOperatorReceivers(context, webhookSecrets);
  jobs.prune(pruneWebhooks, { everyMs: PRUNE_WEBHOOKS_EVERY_MS }, handlePruneWebhooks(context));
  const routes: readonly Routes[] = [
    addressRoutes(context),
    receivingRoutes({ ...recording, keeper, sightings, onWebhook }, { operator, teams }),
  ];
  return {
    routes,
    keeper,
    /** Counts the messages that wait in the journal for the database. */
    countJournaled: journal.count,
    sightings,
    useCases: {
      ...withContext(context, { getWebhookSetUp, putAddress, removeSecret, rotateAddress, removeAddress }),
      ...withContext({ ...context, operatorSightings, webhookSecrets }, { getOperatorWebhook }),
    },
    async close(): Promise<void> {
      await sightings.close();
      await keeper.close();
    },
  };
};
