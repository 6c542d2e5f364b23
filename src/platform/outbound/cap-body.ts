import type { IncomingMessage } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import { SMALL_BYTES } from './outbound-rules.ts';
import type { Deadline } from './start-deadline.ts';

/**
 * How many chunks a body may have if they are smaller than `SMALL_BYTES` on average. Each chunk costs as much work as a
 * kilobyte of data.
 */
const MOST_SMALL_CHUNKS = 1_000;

/** Streams the body, up to `mostBytes` and until the deadline. The connection closes however the stream ends. */
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
  // Don't use `pipeline`: if the connection failed before anyone reads the body, the reader would get the raw error of
  // the connection.
  finished(message, (error) => {
    if (error) capped.destroy(toOutboundFailed(error, host, deadline.signal));
  });
  finished(capped, () => deadline.end());
  return message.pipe(capped);
};
