import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from './is-loopback-host.ts';
import type { Secret } from './secret.ts';

type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** For mail that may be sent again: a client that gets it twice shows it once. */
  messageId?: string;
  /** For recurring mail. */
  unsubscribeUrl?: string;
};

/** `refused`: it will never be accepted. `later`: it wasn't accepted yet. `unclear`: it may have been. */
export type SendFailure = {
  kind: 'refused' | 'later' | 'unclear';
  /** In our own words, to show to people. */
  problem: string;
};

export type Mailer = {
  /**
   * Returns null once the mail server has accepted it. `begin` is called when the server asks for the message, before any
   * of it is sent: until then it's safe to try again. If `begin` fails, nothing is sent.
   */
  send(mail: Mail, begin: () => Promise<void>): Promise<SendFailure | null>;
  /** Whether we can log in to the mail server. Null if we can. */
  check(): Promise<SendFailure | null>;
};

const PATIENCE_MS = 30_000;
/** A server may scan a message before it accepts it. */
const RESPONSE_MS = 4 * 60_000;
/** For one message. The other limits only count until the next byte. */
const MOST_MS = RESPONSE_MS + PATIENCE_MS;
const LEAST_PERMANENT = 500;

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** Only these responses are about this recipient or message. Others would be the same for anyone. */
const IS_PERSONAL = /^(?:RCPT TO|DATA)/;

/** The server's text may repeat addresses and more, so only its number is kept. */
const toFailure = (
  { code = 'unknown', responseCode, command = '' }: SmtpError,
  wasBeingTaken: boolean,
): SendFailure => {
  // The address isn't valid, so the server wasn't contacted.
  if (code === 'EENVELOPE' && command === 'API') return { kind: 'refused', problem: 'The email address is not valid.' };
  if (responseCode !== undefined)
    return {
      kind: responseCode >= LEAST_PERMANENT && IS_PERSONAL.test(command) ? 'refused' : 'later',
      problem: `The mail server responded with ${responseCode}.`,
    };
  // Once the message was being sent, silence doesn't show whether it arrived.
  return wasBeingTaken
    ? { kind: 'unclear', problem: `The connection to the mail server was lost while sending (${code}).` }
    : { kind: 'later', problem: `The mail server could not be reached (${code}).` };
};

const compose = async ({ unsubscribeUrl, to, ...mail }: Mail, from: string) => {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return new MailComposer({
    ...mail,
    // As an object it's one address. As text it could be a list.
    to: { name: '', address: to },
    from,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: one click, without a page.
      ...(unsubscribeUrl && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }).compile();
};

const toOptions = (url: Secret) => {
  const { protocol, hostname, port, username } = new URL(url.reveal());
  const secure = protocol === 'smtps:';
  return {
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password is only sent unencrypted to this machine.
    requireTLS: !secure && username !== '' && !isLoopbackHost(hostname),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: RESPONSE_MS,
  };
};

const credentialsOf = (url: Secret): { user: string; pass: string } | null => {
  const { username, password } = new URL(url.reveal());
  return username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
};

type MailServer = { url: Secret; mostMs?: number };
type Step = (begin: (done: (error?: Error | null) => void) => void) => Promise<void>;

/** Connects, logs in, and does the work. Any error, even between two steps, ends it. */
const converse = async (
  { url, mostMs = MOST_MS }: MailServer,
  work: (connection: SMTPConnection, step: Step) => unknown,
): Promise<void> => {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection(toOptions(url));
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  connection.on('error', broken.reject);
  const tooLate = Object.assign(new Error('The conversation took too long.'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => broken.reject(tooLate), mostMs);
  const step: Step = (begin) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begin((error) => (error ? reject(error) : resolve()));
    return Promise.race([promise, broken.promise]);
  };
  try {
    await step((done) => connection.connect(done));
    const credentials = credentialsOf(url);
    if (credentials) await step((done) => connection.login(credentials, done));
    await work(connection, step);
  } finally {
    clearTimeout(timer);
    connection.close();
  }
};

/**
 * Sends mail through the operator's server, with one connection per message. Callers must know whether a message may
 * have been accepted, which the library's transports don't report. It is loaded with the first message.
 */
export const createMailer = ({ from, ...server }: MailServer & { from: string }): Mailer => ({
  async send(mail, begin) {
    const composed = await compose(mail, from);
    const envelope = composed.getEnvelope();
    const bytes = await composed.build();
    let wasBeingTaken = false;
    let begun = Promise.resolve();
    const message = Readable.from(
      (async function* () {
        begun = begin();
        await begun;
        wasBeingTaken = true;
        yield bytes;
      })(),
    );
    const failure = await converse(server, (connection, step) =>
      step((done) => connection.send(envelope, message, done)),
    ).then(
      () => null,
      (error) => toFailure(error, wasBeingTaken),
    );
    // Only once `begin` has ended, because the caller records the result next.
    await begun;
    return failure;
  },
  check: () =>
    converse(server, (connection) => connection.quit()).then(
      () => null,
      (error) => toFailure(error, false),
    ),
});
