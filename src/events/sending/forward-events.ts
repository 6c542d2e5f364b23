import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, createForwarder, type Secret } from '../../platform/index.ts';
import { isAccepted, type SendAttempt } from '../attempts/attempt.ts';
import { sendEvent } from '../attempts/send-event.ts';
import type { LogScope } from '../log/cursor.ts';
import type { EventView } from '../log/event-view.ts';
import type { LogQuery } from '../log/follow-log.ts';

const LOOK_EVERY_MS = 300;
const PAGE = 50;

type Log = {
  findLogEnd(scope: LogScope): Promise<string>;
  followLog(scope: LogScope, query: LogQuery): Promise<{ events: EventView[]; nextCursor: string }>;
};

/**
 * Follows the log from now on until `signal` is aborted, and sends each event once. The URL may be private, because the
 * operator chose it.
 */
export const forwardEvents = async (
  { events, clock }: { events: Log; clock: Clock },
  scope: LogScope,
  {
    url,
    secret,
    types,
    signal,
  }: { url: Secret; secret: Secret; types?: readonly string[] | undefined; signal: AbortSignal },
  onSent: (event: EventView, attempt: SendAttempt) => void,
): Promise<number> => {
  const forwarder = createForwarder({ allowPrivate: true });
  // When the command is stopped, end a request that is still waiting for its response.
  signal.addEventListener('abort', () => void forwarder.close(), { once: true });
  const destination = { id: 'listen', url, secrets: [secret] };
  let sent = 0;
  try {
    for (let after = await events.findLogEnd(scope); !signal.aborted; ) {
      const page = await events.followLog(scope, { after, types, limit: PAGE });
      for (const event of page.events) {
        const attempt = await sendEvent({ forwarder, clock }, destination, event);
        if (signal.aborted && !isAccepted(attempt)) return sent;
        onSent(event, attempt);
        sent++;
        if (signal.aborted) return sent;
      }
      after = page.nextCursor;
      if (page.events.length < PAGE) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await forwarder.close();
  }
  return sent;
};
