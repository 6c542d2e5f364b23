import type { OutboundFailed, OutboundReason, OutboundResponse } from '../../platform/index.ts';
import type { DispatchFailure } from '../dispatches/dispatch.ts';

const NEW_ADDRESS = 'Create a new incoming webhook in Slack and save its URL here.';
const UNKNOWN = `Slack no longer recognizes this webhook URL. The webhook or its app was removed. ${NEW_ADDRESS}`;
const CHANNEL = `The Slack channel was archived or deleted. ${NEW_ADDRESS}`;
const PROHIBITED = "Slack doesn't allow the app to post there. Ask a workspace admin to allow it.";

/**
 * Slack's error codes: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors (2026)
 */
const REASONS: Readonly<Record<string, string>> = {
  no_service: UNKNOWN,
  no_service_id: UNKNOWN,
  no_active_hooks: UNKNOWN,
  invalid_token: UNKNOWN,
  no_team: UNKNOWN,
  team_disabled: 'The Slack workspace is disabled.',
  channel_not_found: CHANNEL,
  channel_is_archived: CHANNEL,
  action_prohibited: PROHIBITED,
  posting_to_general_channel_denied: PROHIBITED,
};
const BY_STATUS: Readonly<Record<number, string>> = { 403: PROHIBITED, 404: UNKNOWN, 410: CHANNEL };

/** Statuses of a proxy that gave up waiting for Slack. Slack may have received the message. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 502, 504]);

/** Slack sends `Retry-After` in seconds. */
const readRetryAfter = (header: string | undefined): { retryAfterMs?: number } =>
  header !== undefined && /^\d{1,5}$/.test(header) ? { retryAfterMs: Number(header) * 1_000 } : {};

/** Reads Slack's response. Null if the message was accepted. Slack's own text is never shown. */
export const failureOfResponse = ({ status, headers, body }: OutboundResponse<Buffer>): DispatchFailure | null => {
  if (status >= 200 && status < 300) return null;
  if (status === 429)
    return { kind: 'later', problem: 'Slack is rate limiting messages.', ...readRetryAfter(headers['retry-after']) };
  if (GAVE_UP.has(status)) return { kind: 'unclear', problem: `Slack didn't confirm the message (${status}).` };
  if (status >= 500) return { kind: 'later', problem: `Slack is having problems (${status}).` };
  const word = body.toString('utf8').trim();
  const known = Object.hasOwn(REASONS, word) ? REASONS[word] : BY_STATUS[status];
  return { kind: 'refused', problem: known ?? `Slack refused the message (${status}).` };
};

/** Failures of the URL itself. No request was made, and a retry can't succeed. */
const NEVER_ASKED: ReadonlySet<OutboundReason> = new Set(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

export const failureOfError = ({ reason, sent }: Pick<OutboundFailed, 'reason' | 'sent'>): DispatchFailure => {
  if (NEVER_ASKED.has(reason))
    return { kind: 'refused', problem: `The Slack webhook URL must be a public https URL. ${NEW_ADDRESS}` };
  return sent
    ? { kind: 'unclear', problem: `The connection to Slack was lost while sending (${reason}).` }
    : { kind: 'later', problem: `Slack can't be reached (${reason}).` };
};
