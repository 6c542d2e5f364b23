import { type Outbound, OutboundFailed, type Secret } from '../../platform/index.ts';
import type { DeliveryFailure } from '../ledger/report-delivery.ts';
import type { SlackMessage } from '../rendering/slack-blocks.ts';
import { failureOfAnswer, failureOfError } from './slack-answer.ts';

/** Within the time that a request to us may take: somebody may wait for a test message. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 16 * 1024;

/** Follows no redirects: the message is for this URL. Null if it was accepted. */
export const postToSlack = async (
  { outbound }: { outbound: Outbound },
  address: Secret,
  message: SlackMessage,
): Promise<DeliveryFailure | null> => {
  try {
    const answer = await outbound.request({
      url: address.reveal(),
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(message),
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
    });
    return failureOfAnswer(answer);
  } catch (error) {
    if (error instanceof OutboundFailed) return failureOfError(error);
    throw error;
  }
};
