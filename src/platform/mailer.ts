import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from './is-loopback-host.ts';
import type { Secret } from './secret.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Where it may be sent again, so that whoever gets it twice sees it once. */
  messageId?: string;
  /** Of a mail that comes again and again. */
  unsubscribeUrl?: string;
};

/** `refused`: it will never be taken. `later`: it was surely not taken. `unclear`: it may have been. */
export type SendFailure = {
  kind: 'refused' | 'later' | 'unclear';
  /** For people's eyes, in our own words. */
  problem: string;
};

export type Mailer = {
  /**
   * Answers null once the mail server has taken it. `begin` is called when the server has asked for the mail itself and
   * nothing of it has left: until then it can be sent again without harm. Where `begin` fails, it is not sent.
   */
  send(mail: Mail, begin: () => Promise<void>): Promise<SendFailure | null>;
  /** Whether the mail server lets us in. Answers null where it does. */
  check(): Promise<SendFailure | null>;
};

const PATIENCE_MS = 30_000;
/** A server may look into a mail before it takes it. */
const ANSWER_MS = 4 * 60_000;
const LEAST_PERMANENT = 500;

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** Only then is it this recipient or this mail that is refused, and not whoever comes. */
const IS_PERSONAL = /^(?:RCPT TO|DATA)/;

/** What the server says may repeat addresses and more: only its number is kept. */
const toFailure = (
  { code = 'unknown', responseCode, command = '' }: SmtpError,
  wasBeingTaken: boolean,
): SendFailure => {
  // Nobody was asked: what is to be the address is none.
  if (code === 'EENVELOPE' && command === 'API') return { kind: 'refused', problem: 'The email address is not valid.' };
  if (responseCode !== undefined)
    return {
      kind: responseCode >= LEAST_PERMANENT && IS_PERSONAL.test(command) ? 'refused' : 'later',
      problem: `The mail server answered ${responseCode}.`,
    };
  // Once the mail itself was on its way, silence does not say whether it has arrived.
  return wasBeingTaken
    ? { kind: 'unclear', problem: `The connection to the mail server was lost while sending (${code}).` }
    : { kind: 'later', problem: `The mail server could not be reached (${code}).` };
};

const compose = async ({ unsubscribeUrl, to, ...mail }: Mail, from: string) => {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return new MailComposer({
    ...mail,
    // One address, whatever is written in it: a text could be a list.
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
    // A password does not travel in clear, but to this very machine.
    requireTLS: !secure && username !== '' && !isLoopbackHost(hostname),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: ANSWER_MS,
  };
};

const credentialsOf = (url: Secret): { user: string; pass: string } | null => {
  const { username, password } = new URL(url.reveal());
  return username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
};

type Step = (begin: (done: (error?: Error | null) => void) => void) => Promise<void>;

/** Opens a connection, lets itself in, and does the work. Whatever goes wrong, in a step or between two, ends it. */
const converse = async (url: Secret, work: (connection: SMTPConnection, step: Step) => unknown): Promise<void> => {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection(toOptions(url));
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  connection.on('error', broken.reject);
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
    connection.close();
  }
};

/**
 * Mail through the operator's own server, a connection for each. Whoever asks must know whether a mail may have been
 * taken, and a transport does not tell: the message is read only once the server has asked for it. The library is
 * loaded with the first mail.
 */
export const createMailer = ({ url, from }: { url: Secret; from: string }): Mailer => ({
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
    const failure = await converse(url, (connection, step) =>
      step((done) => connection.send(envelope, message, done)),
    ).then(
      () => null,
      (error) => toFailure(error, wasBeingTaken),
    );
    // Not before `begin` has ended: whoever asks writes down next how it went.
    await begun;
    return failure;
  },
  check: () =>
    converse(url, (connection) => connection.quit()).then(
      () => null,
      (error) => toFailure(error, false),
    ),
});
