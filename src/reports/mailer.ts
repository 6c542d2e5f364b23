import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Secret } from '../platform/index.ts';

export type Mail = {
  to: string;
  subject: string;
  html: string;
  text: string;
  messageId: string;
  unsubscribeUrl: string;
};

/** `refused`: it will never be taken. `later`: it was surely not taken. `unclear`: it may have been. */
export type MailFailure = { kind: 'refused' | 'later' | 'unclear'; problem: string };

/** Answers null once the mail server has taken it. */
export type Mailer = { send(mail: Mail): Promise<MailFailure | null> };

const PATIENCE_MS = 30_000;
const LEAST_PERMANENT = 500;

type SmtpError = Error & { code?: string; responseCode?: number };

/** What the server says may repeat addresses and more: only its number is kept. */
const toFailure = ({ code = 'unknown', responseCode }: SmtpError, wasBeingTaken: boolean): MailFailure => {
  if (responseCode !== undefined)
    return {
      kind: responseCode >= LEAST_PERMANENT && code !== 'EAUTH' ? 'refused' : 'later',
      problem: `The mail server answered ${responseCode}.`,
    };
  // Once the mail itself was on its way, silence does not say whether it has arrived.
  return wasBeingTaken
    ? { kind: 'unclear', problem: `The mail server was lost while it took the mail (${code}).` }
    : { kind: 'later', problem: `The mail server cannot be reached (${code}).` };
};

const compose = ({ unsubscribeUrl, ...mail }: Mail, from: string) =>
  new MailComposer({
    ...mail,
    from,
    headers: {
      // RFC 8058: one click, without a page.
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  }).compile();

const toOptions = (url: Secret) => {
  const { protocol, hostname, port } = new URL(url.reveal());
  const secure = protocol === 'smtps:';
  return {
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
  };
};

const credentialsOf = (url: Secret): { user: string; pass: string } | null => {
  const { username, password } = new URL(url.reveal());
  return username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
};

/**
 * Mail through the operator's own server, a connection for each. Whoever asks must know whether a mail may have been
 * taken, and a transport does not tell: the message is read only once the server has asked for it.
 */
export const createMailer = ({ url, from }: { url: Secret; from: string }): Mailer => ({
  async send(mail) {
    const composed = compose(mail, from);
    const envelope = composed.getEnvelope();
    const bytes = await composed.build();
    const connection = new SMTPConnection(toOptions(url));
    let wasBeingTaken = false;
    const message = Readable.from(
      (function* () {
        wasBeingTaken = true;
        yield bytes;
      })(),
    );
    return new Promise((resolve) => {
      const end = (failure: MailFailure | null): void => {
        connection.close();
        resolve(failure);
      };
      const fail = (error: Error): void => end(toFailure(error, wasBeingTaken));
      const send = (): void => connection.send(envelope, message, (error) => (error ? fail(error) : end(null)));
      connection.on('error', fail);
      connection.connect(() => {
        const credentials = credentialsOf(url);
        if (credentials) connection.login(credentials, (error) => (error ? fail(error) : send()));
        else send();
      });
    });
  },
});
