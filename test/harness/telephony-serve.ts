import { request as httpRequest } from 'node:http';
import { SECRETS } from './app.ts';
import type { Serving } from './serve-process.ts';
import { AUTH_TOKEN, newAccountSid, OUR_NUMBER } from './telephony-stage.ts';
import type { SignedChapter, StoryAccount } from './telephony-stories.ts';

export const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

/** Nothing listens there: no test fetches a recording from the internet. */
const NOWHERE = 'http://127.0.0.1:9';

const post = async (serving: Serving, path: string, body: object) => {
  const answered = await serving.fetch(path, {
    method: 'POST',
    headers: { ...ADMIN, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answered.text();
  if (answered.status !== 201) throw new Error(`${path}: ${answered.status} ${text}`);
  return JSON.parse(text);
};

/** An account of the first team with a number that is answered. */
export const addPhoneAccount = async (
  serving: Serving,
  { answer = {}, ...more }: { answer?: object; mode?: string } = {},
): Promise<StoryAccount & { numberId: string }> => {
  const accountId = newAccountSid();
  const account = await post(serving, '/api/telephony/accounts', {
    provider: 'twilio',
    accountId,
    secrets: [AUTH_TOKEN],
    api: { mediaOrigin: NOWHERE },
    ...more,
  });
  const number = await post(serving, '/api/telephony/numbers', { number: OUR_NUMBER, account: account.id, answer });
  return { id: account.id, accountId, numberId: number.id };
};

export type Heard = { status: number; body: string; headers: NodeJS.Dict<string | string[]>; tookMs: number };

/** Sends it as a provider does. Null if the connection broke before there was a response. */
export const deliver = (
  { port }: Pick<Serving, 'port'>,
  { method, url, headers, payload }: Omit<SignedChapter, 'digest'>,
): Promise<Heard | null> =>
  new Promise((resolve) => {
    const begun = performance.now();
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
            tookMs: performance.now() - begun,
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
