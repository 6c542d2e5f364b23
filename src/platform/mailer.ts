import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from './is-loopback-host.ts';
import type { Secret } from './secret.ts';

type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** For mail that may be sent twice: an email client shows messages with the same ID only once. */
  messageId?: string;
  /** The URL that unsubscribes the recipient, for recurring mail. */
  unsubscribeUrl?: string;
};

/**
 * `refused`: the mail will never be accepted. `later`: it wasn't accepted yet. `unclear`: it may have been accepted.
 */
export type SendFailure = {
  kind: 'refused' | 'later' | 'unclear';
  /** What went wrong, in our own words, to show to people. */
  problem: string;
};

export type Mailer = {
  /**
   * Returns null once the mail server has accepted the mail. `begin` is called when the server asks for the message,
   * before any of it is sent. Until then, it's safe to try again. If `begin` fails, nothing is sent.
   */
  send(mail: Mail, begin: () => Promise<void>): Promise<SendFailure | null>;
  /** Checks that we can log in to the mail server. Returns null if we can. */
  check(): Promise<SendFailure | null>;
};

const PATIENCE_MS = 30_000;
/** How long the server may take to respond. It may scan a message before it accepts it. */
const RESPONSE_MS = 4 * 60_000;
/** The limit for a whole message. The other limits start again with every byte. */
const MOST_MS = RESPONSE_MS + PATIENCE_MS;
const LEAST_PERMANENT = 500;

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** An error response to these commands is about this recipient or message. Any other error would affect all mail. */
const IS_PERSONAL = /^(?:RCPT TO|DATA)/;

/** Keeps only the number of the server's response, because its text may repeat email addresses. */
const toFailure = (
  { code = 'unknown', responseCode, command = '' }: SmtpError,
  wasBeingTaken: boolean,
): SendFailure => {
  // The email address isn't valid, so the server wasn't contacted.
  if (code === 'EENVELOPE' && command === 'API') return { kind: 'refused', problem: 'The email address is not valid.' };
  if (responseCode !== undefined)
    return {
      kind: responseCode >= LEAST_PERMANENT && IS_PERSONAL.test(command) ? 'refused' : 'later',
      problem: `The mail server responded with ${responseCode}.`,
    };
  // If the connection is lost while the message is being sent, we can't know whether it arrived.
  return wasBeingTaken
    ? { kind: 'unclear', problem: `The connection to the mail server was lost while sending (${code}).` }
    : { kind: 'later', problem: `The mail server could not be reached (${code}).` };
};

const compose = async ({ unsubscribeUrl, to, ...mail }: Mail, from: string) => {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return new MailComposer({
    ...mail,
    // An object is always one recipient. A string could be a list of recipients.
    to: { name: '', address: to },
    from,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: unsubscribes with one click, without a page.
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
    // Without encryption, a password is only sent to this machine.
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

/** Connects, logs in, and does the work. Any error ends the conversation, even an error between two steps. */
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
 * Sends mail through the operator's server, with one connection per message. Talks SMTP itself, because callers must
 * know whether a message may have been accepted, which the transports of `nodemailer` don't report. The library is
 * loaded with the first message.
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
    // If the connection failed, `begin` may still be running. Wait for it, so that it can't overwrite what is recorded next.
    await begun;
    return failure;
  },
  check: () =>
    converse(server, (connection) => connection.quit()).then(
      () => null,
      (error) => toFailure(error, false),
    ),
});
