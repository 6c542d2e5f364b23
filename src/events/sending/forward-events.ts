import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, createForwarder, type Secret } from '../../platform/index.ts';
import type { EventView } from '../log/event-view.ts';
import type { LogQuery, LogScope } from '../log/follow-log.ts';
import type { Attempt } from './attempt.ts';
import { sendEvent } from './send-event.ts';

const LOOK_EVERY_MS = 300;
const PAGE = 50;

type Log = {
  findLogEnd(): Promise<string>;
  followLog(scope: LogScope, query: LogQuery): Promise<{ events: EventView[]; nextCursor: string }>;
};

/**
 * Follows the log from now on until it's called off, and sends each event once. The address may be a private one,
 * because whoever runs the service names it.
 */
export const forwardEvents = async (
  { events, clock }: { events: Log; clock: Clock },
  scope: LogScope,
  { url, secret, signal }: { url: Secret; secret: Secret; signal: AbortSignal },
  onSent: (event: EventView, attempt: Attempt) => void,
): Promise<number> => {
  const forwarder = createForwarder({ allowPrivate: true });
  const destination = { id: 'listen', url, secrets: [secret] };
  let sent = 0;
  try {
    for (let after = await events.findLogEnd(); !signal.aborted; ) {
      const page = await events.followLog(scope, { after, limit: PAGE });
      for (const event of page.events) {
        onSent(event, await sendEvent({ forwarder, clock }, destination, event));
        sent++;
      }
      after = page.nextCursor;
      if (page.events.length < PAGE) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await forwarder.close();
  }
  return sent;
};
