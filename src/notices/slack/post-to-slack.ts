import { type Outbound, OutboundFailed, type Secret } from '../../platform/index.ts';
import type { DispatchFailure } from '../dispatches/dispatch.ts';
import { failureOfError, failureOfResponse } from './slack-failure.ts';
import type { SlackMessage } from './slack-message.ts';

/** Shorter than our own time limit for a request, because a person may be waiting for the result of a test message. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 16 * 1024;

/** Posts a message. Follows no redirects, because the message is only for this URL. Returns null if it was accepted. */
export const postToSlack = async (
  outbound: Outbound,
  address: Secret,
  message: SlackMessage,
): Promise<DispatchFailure | null> => {
  try {
    const response = await outbound.request({
      url: address.reveal(),
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(message),
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
    });
    return failureOfResponse(response);
  } catch (error) {
    if (error instanceof OutboundFailed) return failureOfError(error);
    throw error;
  }
};
