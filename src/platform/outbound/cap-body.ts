import type { IncomingMessage } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import type { Deadline } from './start-deadline.ts';

/** Streams the body up to a number of bytes and until the deadline. However it ends, the connection closes. */
export const capBody = (message: IncomingMessage, host: string, mostBytes: number, deadline: Deadline): Readable => {
  if (Number(message.headers['content-length'] ?? 0) > mostBytes) throw new OutboundFailed('too_large', host);
  let received = 0;
  const capped = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > mostBytes) done(new OutboundFailed('too_large', host));
      else done(null, chunk);
    },
  });
  // Not `pipeline`, which would pass the connection's own error to a reader who starts after it.
  finished(message, (error) => {
    if (error) capped.destroy(toOutboundFailed(error, host, deadline.signal));
  });
  finished(capped, () => deadline.end());
  return message.pipe(capped);
};
