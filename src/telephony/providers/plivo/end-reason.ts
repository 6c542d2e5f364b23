import type { EndReason } from '../../contract/call-fact.ts';
import { wordsFor } from '../../provider-parts/values.ts';

/** Values of `CallStatus` and `DialStatus`. */
const STATUSES = wordsFor({
  completed: 'completed',
  busy: 'busy',
  failed: 'failed',
  canceled: 'cancel',
  no_answer: 'timeout no-answer',
});

/** Standard telephony causes that say more than a status. */
const CAUSES = wordsFor({
  busy: 'USER_BUSY',
  rejected: 'CALL_REJECTED',
  no_answer: 'NO_ANSWER NO_USER_RESPONSE SUBSCRIBER_ABSENT',
  canceled: 'ORIGINATOR_CANCEL LOSE_RACE',
  failed:
    'UNALLOCATED_NUMBER NO_ROUTE_DESTINATION DESTINATION_OUT_OF_ORDER NETWORK_OUT_OF_ORDER ' +
    'INVALID_NUMBER_FORMAT USER_NOT_REGISTERED NORMAL_TEMPORARY_FAILURE',
});

/**
 * Plivo's own hangup codes (docs: "Hangup causes", partly as quoted elsewhere; seen November 2026). 9000: another
 * number answered first. 9110: the key was not pressed.
 */
const CODES = wordsFor({
  completed: '4000 4010 6000',
  no_answer: '3000 6010 9110',
  busy: '3010 3100',
  rejected: '3020 3040 3110',
  canceled: '1000 9000',
});

type EndWords = { status?: string | undefined; cause?: string | undefined; code?: string | undefined };

/** Uses the cause first, because an inbound call is `completed`, however it ended. */
export const endReasonOf = ({ status, cause, code }: EndWords): EndReason =>
  CAUSES.get(cause ?? '') ??
  CODES.get(code ?? '') ??
  STATUSES.get(status ?? '') ??
  (cause === 'NORMAL_CLEARING' ? 'completed' : 'unknown');

export const isFinal = (status: string): boolean => STATUSES.has(status);
