import type { EndReason } from '../../contract/call-event.ts';

const mapOf = (reasons: Record<string, EndReason>): ReadonlyMap<string, EndReason> => new Map(Object.entries(reasons));

/** Of `CallStatus` and `DialStatus`. */
const STATUSES = mapOf({
  completed: 'completed',
  busy: 'busy',
  failed: 'failed',
  cancel: 'canceled',
  timeout: 'no_answer',
  'no-answer': 'no_answer',
});

/** Standard telephony causes that say more than a status. */
const CAUSES = mapOf({
  USER_BUSY: 'busy',
  CALL_REJECTED: 'rejected',
  NO_ANSWER: 'no_answer',
  NO_USER_RESPONSE: 'no_answer',
  SUBSCRIBER_ABSENT: 'no_answer',
  ORIGINATOR_CANCEL: 'canceled',
  LOSE_RACE: 'canceled',
  UNALLOCATED_NUMBER: 'failed',
  NO_ROUTE_DESTINATION: 'failed',
  DESTINATION_OUT_OF_ORDER: 'failed',
  NETWORK_OUT_OF_ORDER: 'failed',
  INVALID_NUMBER_FORMAT: 'failed',
  USER_NOT_REGISTERED: 'failed',
  NORMAL_TEMPORARY_FAILURE: 'failed',
});

/** Plivo's own hangup codes (docs: "Hangup causes", partly as quoted elsewhere; seen November 2026). */
const CODES = mapOf({
  1000: 'canceled',
  3000: 'no_answer',
  3010: 'busy',
  3020: 'rejected',
  3040: 'rejected',
  3100: 'busy',
  3110: 'rejected',
  4000: 'completed',
  4010: 'completed',
  6000: 'completed',
  6010: 'no_answer',
  // Another number was faster.
  9000: 'canceled',
  // The key was not pressed.
  9110: 'no_answer',
});

type Told = { status?: string | undefined; cause?: string | undefined; code?: string | undefined };

/** The cause first: an inbound call is `completed`, however it ended. */
export const endReasonOf = ({ status, cause, code }: Told): EndReason =>
  CAUSES.get(cause ?? '') ??
  CODES.get(code ?? '') ??
  STATUSES.get(status ?? '') ??
  (cause === 'NORMAL_CLEARING' ? 'completed' : 'unknown');

export const isFinal = (status: string): boolean => STATUSES.has(status);
