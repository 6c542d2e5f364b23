import type { IncomingMessage } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import type { Deadline } from './start-deadline.ts';

/** The body as it comes, up to so many bytes and until the deadline. However it ends, the connection ends with it. */
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
  // Not `pipeline`: it would hand the connection's own error to whoever begins to read after it.
  finished(message, (error) => {
    if (error) capped.destroy(toOutboundFailed(error, host, deadline.signal));
  });
  finished(capped, () => deadline.end());
  return message.pipe(capped);
};
