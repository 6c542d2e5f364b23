import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { buildApp } from '../../src/app.ts';
import type { Server } from '../../src/http/index.ts';
import type { Overrides } from '../../src/lay-ground.ts';
import type { Engine } from '../../src/platform/index.ts';
import { createTestApp, createTestClock, createTestLog, type Person } from './app.ts';

export const SERVICE_URL = 'http://localhost:3000';
export const VOICE = '/api/webhooks/telephony/voice';
export const RECORDING = '/api/webhooks/telephony/recording';
const FORM = 'application/x-www-form-urlencoded';

export const AUTH_TOKEN = 'auth-token-of-the-tests';
export const CALLER = '+15551230001';
export const OUR_NUMBER = '+15551239999';
export const COLLEAGUE = '+15551230077';

/** For tests of what other processes have changed: a busy machine is not a database that is unavailable. */
export const PATIENT = { settingsPatienceMs: 30_000 };

let made = 0;
const hex = (): string => (++made).toString(16).padStart(32, '0');
export const newCallSid = (): string => `CA${hex()}`;
export const newRecordingSid = (): string => `RE${hex()}`;
export const newAccountSid = (): string => `AC${hex()}`;

export type Params = Readonly<Record<string, string>>;

/** A request as the provider sends it, signed by the provider's own library. */
export const signForm = (address: string, params: Params, authToken = AUTH_TOKEN) => ({
  method: 'POST' as const,
  url: address.slice(SERVICE_URL.length),
  headers: {
    'content-type': FORM,
    'x-twilio-signature': getExpectedTwilioSignature(authToken, address, params),
  },
  payload: new URLSearchParams(params).toString(),
});

/** A phone line of a team: what its provider would send, one request at a time. */
export const createPhoneLine = (server: Server, account: { id: string; accountId: string }, authToken = AUTH_TOKEN) => {
  const address = (path: string, query = ''): string => `${SERVICE_URL}${path}?account=${account.id}${query}`;
  const call = (callSid: string, more: Params = {}): Params => ({
    AccountSid: account.accountId,
    CallSid: callSid,
    From: CALLER,
    To: OUR_NUMBER,
    Direction: 'inbound',
    ...more,
  });
  const post = (path: string, params: Params, query = '') =>
    server.inject(signForm(address(path, query), params, authToken));
  return {
    address,
    call,
    post,
    rings: (callSid: string, more: Params = {}) => post(VOICE, call(callSid, { CallStatus: 'ringing', ...more })),
    /** How forwarding ended. */
    dialed: (callSid: string, status: string, more: Params = {}) =>
      post(VOICE, call(callSid, { CallStatus: 'in-progress', DialCallStatus: status, ...more }), '&step=dialed'),
    leavesMessage: (callSid: string, seconds = 9) =>
      post(VOICE, call(callSid, { CallStatus: 'in-progress', RecordingDuration: `${seconds}` }), '&step=voicemail'),
    status: (callSid: string, status: string, more: Params = {}) =>
      post(
        VOICE,
        call(callSid, { CallStatus: status, CallbackSource: 'call-progress-events', ...more }),
        '&step=status',
      ),
    recorded: (callSid: string, recordingSid: string, more: Params = {}) =>
      post(RECORDING, {
        AccountSid: account.accountId,
        CallSid: callSid,
        RecordingSid: recordingSid,
        RecordingStatus: 'completed',
        RecordingDuration: '9',
        RecordingChannels: '1',
        RecordingSource: 'RecordVerb',
        ...more,
      }),
  };
};

export type PhoneLine = ReturnType<typeof createPhoneLine>;

const DAY_MS = 86_400_000;

/** The whole service with a team whose number is answered. */
export const openTelephonyStage = async (
  engine: Engine,
  { env = {}, answer = {}, ...overrides }: Overrides & { env?: Record<string, string>; answer?: object } = {},
) => {
  const clock = createTestClock();
  const stage = await createTestApp(engine, { env, clock, ...overrides });
  const { app, server } = stage;

  const post = async (person: Person, url: string, payload: object) => {
    const answered = await server.inject({ method: 'POST', url, headers: person.headers, payload });
    if (answered.statusCode !== 201) throw new Error(`${url}: ${answered.statusCode} ${answered.body}`);
    return answered.json();
  };

  const newTeam = async ({
    authToken = AUTH_TOKEN,
    accountId = newAccountSid(),
    ageDays = 0,
    ...account
  }: {
    authToken?: string;
    accountId?: string;
    /** How long the team has existed. Weeks before that are not reported on their own. */
    ageDays?: number;
    mode?: string;
    api?: object;
    removesArchived?: boolean;
  } = {}) => {
    const made = await stage.createTeam(`team-${app.newId().slice(-12)}`);
    await app.database.run('update teams set created_at = created_at - $2 where id = $1', [
      made.team.id,
      ageDays * DAY_MS,
    ]);
    const body = { provider: 'twilio', accountId, secrets: [authToken], ...account };
    const added = await post(made.admin, '/api/telephony/accounts', body);
    const number = await post(made.admin, '/api/telephony/numbers', { number: OUR_NUMBER, account: added.id, answer });
    const get = async (url: string, headers = made.member.headers) => server.inject({ url, headers });
    return {
      ...made,
      account: added,
      number,
      line: createPhoneLine(server, { id: added.id, accountId }, authToken),
      get,
      /** After everything received is processed. */
      async calls(query = '') {
        await app.telephony.settle();
        return (await get(`/api/calls${query}`)).json().calls;
      },
    };
  };

  return {
    ...stage,
    clock,
    newTeam,
    /** A second process on the same database, as far as that's possible within one. */
    async openOther(patience: Overrides = PATIENT) {
      const other = buildApp(stage.config, { clock, log: createTestLog().log, ...overrides, ...patience });
      const otherServer = await other.createServer();
      return {
        app: other,
        server: otherServer,
        close: async () => {
          await otherServer.close();
          await other.close();
        },
      };
    },
  };
};

export type TelephonyStage = Awaited<ReturnType<typeof openTelephonyStage>>;
