import type { Vault } from '../../vault/index.ts';
import { defineDispatches } from '../dispatches/define-dispatches.ts';
import type { Dispatch } from '../dispatches/dispatch.ts';

/** A notice on its way to one recipient. An email goes to the admin whose email address has this `recipientHash`. */
export type AlertDispatch = Dispatch & {
  noticeId: string;
  /** How many alerts were not stored, because the team had too many open. The notice only says how many. */
  leftOut: number;
};

export const alertDispatches = defineDispatches<AlertDispatch>({
  noun: 'alert',
  called: 'an alert',
  table: 'event_alert_dispatches',
  own: ['noticeId', 'leftOut'],
  givenUpAfterMs: 24 * 3_600_000,
});

export const hashAlertRecipient = (vault: Vault, teamId: string, address: string): Promise<string> =>
  vault.hash(teamId, `alert ${address.trim().toLowerCase()}`);
