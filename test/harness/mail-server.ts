import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string[]; raw: string };

/** `recipient`: it hasn't asked for the message yet. `data`: it has the message, but hasn't said so. */
export type MailStage = 'recipient' | 'data';

/** A real SMTP server. It may refuse a recipient, break the connection, or say nothing more at a stage. */
export const startMailServer = async ({ port = 0 } = {}) => {
  const received: ReceivedMail[] = [];
  let refuse: ((address: string) => { responseCode: number } | null) | null = null;
  let breakAt: 'before' | 'after' | null = null;
  const held = new Map<string, { stage: MailStage; reached(): void; released: Promise<void>; release(): void }>();

  const pass = async (stage: MailStage, address = ''): Promise<void> => {
    const hold = held.get(address);
    if (hold?.stage !== stage) return;
    hold.reached();
    await hold.released;
  };

  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      const refusal = refuse?.(address);
      void pass('recipient', address).then(() => done(refusal ? Object.assign(new Error('No.'), refusal) : null));
    },
    onData(stream, session, done) {
      const take = async (raw: string): Promise<void> => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (breakAt !== 'before') received.push({ to, raw });
        const connection = [...server.connections].find(
          (candidate) => 'session' in candidate && candidate.session === session,
        );
        if (breakAt && connection && '_socket' in connection) {
          (connection as unknown as { _socket: { destroy(): void } })._socket.destroy();
          return;
        }
        await pass('data', to[0]);
        done();
      };
      // A mail whose sender disconnected in the middle doesn't count.
      void text(stream).then(take, () => undefined);
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (typeof address !== 'object' || !address) throw new Error('The mail server has no address.');
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    refuseWith(rule: typeof refuse): void {
      refuse = rule;
    },
    /** `after`: it has the mail, and the connection breaks before it says so. */
    breakConnection(when: typeof breakAt): void {
      breakAt = when;
    },
    /** Mail to this address is held at this stage until released. Resolves when it gets there. */
    holdAt(stage: MailStage, recipient: string): Promise<void> {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      return new Promise((reached) => void held.set(recipient, { stage, reached, released, release }));
    },
    letGo(recipient: string): void {
      held.get(recipient)?.release();
      held.delete(recipient);
    },
    countConnections: (): number => server.connections.size,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
