import type { IncomingMessage } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import type { Deadline } from './start-deadline.ts';

/** Each chunk costs as much work as a kilobyte, so a body may come in this many small ones, but no more. */
const MOST_SMALL_CHUNKS = 1_000;
const SMALL_BYTES = 64;

/** Streams the body up to a number of bytes and until the deadline. However it ends, the connection closes. */
export const capBody = (message: IncomingMessage, host: string, mostBytes: number, deadline: Deadline): Readable => {
  if (Number(message.headers['content-length'] ?? 0) > mostBytes) throw new OutboundFailed('too_large', host);
  let received = 0;
  let chunks = 0;
  const capped = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      chunks++;
      deadline.received(chunk.length);
      if (received > mostBytes) done(new OutboundFailed('too_large', host));
      else if (chunks > MOST_SMALL_CHUNKS && received < chunks * SMALL_BYTES)
        done(new OutboundFailed('too_large', host, 'in too many pieces'));
      else done(null, chunk);
    },
  });
  deadline.excuse(() => capped.writableNeedDrain || message.complete);
  // Not `pipeline`, which would pass the connection's own error to a reader who starts after it.
  finished(message, (error) => {
    if (error) capped.destroy(toOutboundFailed(error, host, deadline.signal));
  });
  finished(capped, () => deadline.end());
  return message.pipe(capped);
};
