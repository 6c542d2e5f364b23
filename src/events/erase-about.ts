import type { Transaction } from '../platform/index.ts';
import { closeCallAlerts } from './alerts/alerts.ts';
import { eraseEventsAbout } from './log/event-store.ts';
import { deletePayloadsAbout } from './log/payloads/payload-store.ts';

/**
 * Runs in the transaction that erases calls or recordings. Erases the data of their events with
 * their payloads, and closes alerts about them.
 */
export const eraseAbout = async (tx: Transaction, teamId: string, subjects: readonly string[]): Promise<void> => {
  await eraseEventsAbout(tx, teamId, subjects);
  await deletePayloadsAbout(tx, teamId, subjects);
  await closeCallAlerts(tx, teamId, subjects);
};
