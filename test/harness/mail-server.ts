import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string[]; raw: string };

/** A real SMTP server. `answer` may refuse a recipient, or break the connection at a stage. */
export const startMailServer = async () => {
  const received: ReceivedMail[] = [];
  let refuse: ((address: string) => { responseCode: number } | null) | null = null;
  let breakAt: 'before' | 'after' | null = null;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      const refusal = refuse?.(address);
      done(refusal ? Object.assign(new Error('No.'), refusal) : null);
    },
    onData(stream, session, done) {
      void text(stream).then((raw) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (breakAt !== 'before') received.push({ to, raw });
        const connection = [...server.connections].find(
          (candidate) => 'session' in candidate && candidate.session === session,
        );
        if (breakAt && connection && '_socket' in connection) {
          (connection as unknown as { _socket: { destroy(): void } })._socket.destroy();
          return;
        }
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (typeof address !== 'object' || !address) throw new Error('The mail server has no address.');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    refuseWith(rule: typeof refuse): void {
      refuse = rule;
    },
    /** `after`: it has the mail, and the connection breaks before it says so. */
    breakConnection(when: typeof breakAt): void {
      breakAt = when;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
