import { request as httpRequest } from 'node:http';
import { SECRETS } from './app.ts';
import type { Serving } from './serve-process.ts';
import { startStopwatch } from './start-stopwatch.ts';
import { AUTH_TOKEN, newAccountSid, OUR_NUMBER } from './telephony-stage.ts';
import type { SignedChapter, StoryAccount } from './telephony-stories.ts';

export const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

/** Nothing listens there: no test fetches a recording from the internet. */
const NOWHERE = 'http://127.0.0.1:9';

const post = async (serving: Serving, path: string, body: object, who: Readonly<Record<string, string>>) => {
  const answered = await serving.fetch(path, {
    method: 'POST',
    headers: { ...who, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answered.text();
  if (answered.status !== 201) throw new Error(`${path}: ${answered.status} ${text}`);
  return JSON.parse(text);
};

/** An account with a number that is answered. It's the first team's, unless someone else adds it. */
export const addPhoneAccount = async (
  serving: Serving,
  { answer = {}, ...more }: { answer?: object; mode?: string } = {},
  who: Readonly<Record<string, string>> = ADMIN,
): Promise<StoryAccount & { numberId: string }> => {
  const accountId = newAccountSid();
  const account = await post(
    serving,
    '/api/telephony/accounts',
    {
      provider: 'twilio',
      accountId,
      secrets: [AUTH_TOKEN],
      api: { mediaOrigin: NOWHERE },
      ...more,
    },
    who,
  );
  const number = await post(
    serving,
    '/api/telephony/numbers',
    { number: OUR_NUMBER, account: account.id, answer },
    who,
  );
  return { id: account.id, accountId, numberId: number.id };
};

export type Heard = { status: number; body: string; headers: NodeJS.Dict<string | string[]>; tookMs: number };

/** Sends it as a provider does. Null if the connection broke before there was a response. */
export const deliver = (
  serving: Pick<Serving, 'port'> & Partial<Pick<Serving, 'pid'>>,
  { method, url, headers, payload }: Omit<SignedChapter, 'digest'>,
): Promise<Heard | null> =>
  new Promise((resolve) => {
    const { port } = serving;
    const readMs = startStopwatch(serving);
    const asked = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
      let body = '';
      answer
        .setEncoding('utf8')
        .on('data', (text: string) => {
          body += text;
        })
        .on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body,
            headers: answer.headers,
            tookMs: readMs(),
          }),
        )
        .on('error', () => resolve(null));
    });
    asked.on('error', () => resolve(null));
    asked.setTimeout(15_000, () => asked.destroy());
    asked.end(payload);
  });

export const isKept = (heard: Heard | null): boolean => heard !== null && heard.status >= 200 && heard.status < 300;

/** The lines of its log that contain this. */
export const logLines = ({ output }: Pick<Serving, 'output'>, words: string): string[] =>
  output.stdout.split('\n').filter((line) => line.includes(words));
