import type { OutboundAnswer, OutboundFailed, OutboundReason } from '../../platform/index.ts';
import type { DeliveryFailure } from '../ledger/report-delivery.ts';

const NEW_ADDRESS = 'Make a new incoming webhook in Slack and set its address.';
const UNKNOWN = `Slack does not know the address any more: the webhook or its app was removed. ${NEW_ADDRESS}`;
const CHANNEL = `The channel in Slack is archived or gone. ${NEW_ADDRESS}`;
const PROHIBITED = 'Slack does not let the app write there: an admin of the workspace has to allow it.';

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors (2026) */
const REASONS: Readonly<Record<string, string>> = {
  no_service: UNKNOWN,
  no_service_id: UNKNOWN,
  no_active_hooks: UNKNOWN,
  invalid_token: UNKNOWN,
  no_team: UNKNOWN,
  team_disabled: 'The workspace in Slack is disabled.',
  channel_not_found: CHANNEL,
  channel_is_archived: CHANNEL,
  action_prohibited: PROHIBITED,
  posting_to_general_channel_denied: PROHIBITED,
};
const BY_STATUS: Readonly<Record<number, string>> = { 403: PROHIBITED, 404: UNKNOWN, 410: CHANNEL };

/** Somebody on the way gave up waiting for Slack, which may have the message. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 502, 504]);

/** Seconds, as Slack says it. */
const readRetryAfter = (header: string | undefined): { retryAfterMs?: number } =>
  header !== undefined && /^\d{1,5}$/.test(header) ? { retryAfterMs: Number(header) * 1_000 } : {};

/** What Slack's answer means. Its text is compared and never shown. Null: the message was taken. */
export const failureOfAnswer = ({ status, headers, body }: OutboundAnswer<Buffer>): DeliveryFailure | null => {
  if (status >= 200 && status < 300) return null;
  if (status === 429)
    return { kind: 'later', problem: 'Slack asks for fewer messages.', ...readRetryAfter(headers['retry-after']) };
  if (GAVE_UP.has(status))
    return { kind: 'unclear', problem: `Slack did not say whether it took the message (${status}).` };
  if (status >= 500) return { kind: 'later', problem: `Slack has trouble (${status}).` };
  const word = body.toString('utf8').trim();
  const known = Object.hasOwn(REASONS, word) ? REASONS[word] : BY_STATUS[status];
  return { kind: 'refused', problem: known ?? `Slack did not take the message (${status}).` };
};

/** Nobody was asked, and nobody will be: the address itself is not one to be asked. */
const NEVER_ASKED: ReadonlySet<OutboundReason> = new Set(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

export const failureOfError = ({ reason, sent }: Pick<OutboundFailed, 'reason' | 'sent'>): DeliveryFailure => {
  if (NEVER_ASKED.has(reason))
    return { kind: 'refused', problem: `The address for Slack is not a public one over https. ${NEW_ADDRESS}` };
  return sent
    ? { kind: 'unclear', problem: `Slack was lost while it took the message (${reason}).` }
    : { kind: 'later', problem: `Slack cannot be reached (${reason}).` };
};
