import { createHmac, generateKeyPairSync, hash, randomBytes, randomUUID, sign as signBytes } from 'node:crypto';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import type { Delivery } from '../../src/telephony/contract/delivery.ts';
import type { Person } from './app.ts';
import { CALLER, OUR_NUMBER, RECORDING, SERVICE_URL, type TelephonyStage, VOICE } from './telephony-stage.ts';
import { sign as signToken } from './vendors/vonage.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

export type Fields = Readonly<Record<string, string>>;
type Headers = Readonly<Record<string, string>>;

/** A request before anything has been proved. `target` is path and query. */
export type Unsigned = { method: 'GET' | 'POST'; target: string; type: string; body: string | Buffer };
export type Sent = Unsigned & { headers: Headers };

/** Our address and the time, as the provider sees them. */
export type Signing = { now: number; at?: string };

/** What an account has at its provider: the secret that is entered here, and a function that signs there. */
export type Key = { secret: string; prove(request: Unsigned, signing: Signing): Headers };

/** One thing that a provider reports: where, and in which words. */
export type Told = { route: Delivery['route']; step?: string; fields: Fields };

export type Sender = {
  provider: string;
  /** The headers that prove something. */
  proofs: readonly string[];
  /** The response to a refusal. */
  refusal: 401 | 403;
  type: typeof FORM_TYPE | typeof JSON_TYPE;
  /** Whether the address is signed, and whether the content is. */
  covers: { address: boolean; content: boolean };
  newAccountId(): string;
  newCallId(): string;
  newKey(): Key;
  rings(accountId: string, callId: string): Told;
  /** No one answered, and the caller has hung up. */
  ends(accountId: string, callId: string): Told;
  recorded(accountId: string, callId: string, recordingId: string): Told;
};

const textOf = (body: string | Buffer): string => body.toString();
const randomHex = (): string => randomBytes(16).toString('hex');

/** As the provider's own library signs it. Only the digest in the address covers a JSON body. */
const createMarkupKey =
  (header: string, newSecret: () => string): Sender['newKey'] =>
  () => {
    const secret = newSecret();
    const prove: Key['prove'] = ({ method, target, type, body }, { at = SERVICE_URL }) => {
      const isForm = method === 'POST' && type === FORM_TYPE;
      const params = isForm ? Object.fromEntries(new URLSearchParams(textOf(body))) : {};
      return { [header]: getExpectedTwilioSignature(secret, `${at}${target}`, params) };
    };
    return { secret, prove };
  };

const markupStory = {
  rings: (AccountSid: string, CallSid: string): Told => ({
    route: 'voice',
    fields: { AccountSid, CallSid, From: CALLER, To: OUR_NUMBER, Direction: 'inbound', CallStatus: 'ringing' },
  }),
  ends: (AccountSid: string, CallSid: string): Told => ({
    route: 'voice',
    step: 'status',
    fields: {
      AccountSid,
      CallSid,
      From: CALLER,
      To: OUR_NUMBER,
      Direction: 'inbound',
      CallStatus: 'no-answer',
      CallDuration: '0',
      CallbackSource: 'call-progress-events',
      SequenceNumber: '3',
      Timestamp: 'Sun, 15 Nov 2026 12:00:20 +0000',
    },
  }),
  recorded: (AccountSid: string, CallSid: string, RecordingSid: string): Told => ({
    route: 'recording',
    fields: {
      AccountSid,
      CallSid,
      RecordingSid,
      RecordingStatus: 'completed',
      RecordingDuration: '9',
      RecordingSource: 'RecordVerb',
    },
  }),
};

const twilio: Sender = {
  ...markupStory,
  provider: 'twilio',
  proofs: ['x-twilio-signature'],
  refusal: 403,
  type: FORM_TYPE,
  covers: { address: true, content: true },
  newAccountId: () => `AC${randomHex()}`,
  newCallId: () => `CA${randomHex()}`,
  newKey: createMarkupKey('x-twilio-signature', randomHex),
};

const signalwire: Sender = {
  ...markupStory,
  provider: 'signalwire',
  proofs: ['x-signalwire-signature'],
  refusal: 403,
  type: FORM_TYPE,
  covers: { address: true, content: true },
  newAccountId: randomUUID,
  newCallId: randomUUID,
  newKey: createMarkupKey('x-signalwire-signature', () => `PSK_${randomHex()}`),
};

const telnyx: Sender = {
  ...markupStory,
  provider: 'telnyx',
  proofs: ['telnyx-signature-ed25519', 'telnyx-timestamp'],
  refusal: 403,
  type: FORM_TYPE,
  covers: { address: false, content: true },
  newAccountId: randomUUID,
  newCallId: () => `v3:${randomHex()}`,
  newKey: () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    return {
      secret: publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64'),
      prove: ({ body }, { now }) => {
        const timestamp = String(Math.floor(now / 1_000));
        const text = Buffer.concat([Buffer.from(`${timestamp}|`), Buffer.from(body)]);
        return {
          'telnyx-timestamp': timestamp,
          'telnyx-signature-ed25519': signBytes(null, text, privateKey).toString('base64'),
        };
      },
    };
  },
};

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : left > right ? 1 : 0;

/** The base string of V3, as the vendor's library makes it. */
const plivoText = ({ method, target, type, body }: Unsigned, at: string): string => {
  const [path = '', query = ''] = target.split('?');
  const asked = [...new URLSearchParams(query)].sort(byName).map(([name, value]) => `${name}=${value}`);
  const isForm = method === 'POST' && type === FORM_TYPE;
  const form = isForm ? [...new URLSearchParams(textOf(body))].sort(byName).flat().join('') : '';
  const between = asked.length > 0 && form !== '' ? '.' : '';
  return `${at}${path}${asked.length > 0 || form !== '' ? '?' : ''}${asked.join('&')}${between}${form}`;
};

const plivoCall = (ParentAuthID: string, CallUUID: string) => ({
  CallUUID,
  ParentAuthID,
  From: CALLER.slice(1),
  To: OUR_NUMBER.slice(1),
  Direction: 'inbound',
});

const plivo: Sender = {
  provider: 'plivo',
  proofs: ['x-plivo-signature-v3', 'x-plivo-signature-v3-nonce'],
  refusal: 403,
  type: FORM_TYPE,
  covers: { address: true, content: true },
  newAccountId: () => `MA${randomBytes(9).toString('hex').toUpperCase()}`,
  newCallId: randomUUID,
  newKey: () => {
    const secret = randomHex();
    const prove: Key['prove'] = (request, { at = SERVICE_URL }) => {
      const nonce = '05429567804466091622';
      const text = `${plivoText(request, at)}.${nonce}`;
      return {
        'x-plivo-signature-v3': createHmac('sha256', secret).update(text).digest('base64'),
        'x-plivo-signature-v3-nonce': nonce,
      };
    };
    return { secret, prove };
  },
  rings: (accountId, callId) => ({
    route: 'voice',
    fields: { ...plivoCall(accountId, callId), Event: 'StartApp', CallStatus: 'ringing' },
  }),
  ends: (accountId, callId) => ({
    route: 'voice',
    step: 'status',
    fields: {
      ...plivoCall(accountId, callId),
      Event: 'Hangup',
      CallStatus: 'no-answer',
      HangupCause: 'NO_ANSWER',
      Duration: '0',
    },
  }),
  recorded: (ParentAuthID, CallUUID, RecordingID) => ({
    route: 'recording',
    fields: {
      CallUUID,
      ParentAuthID,
      RecordingID,
      RecordUrl: `https://media.plivo.com/v1/Account/${ParentAuthID}/Recording/${RecordingID}.mp3`,
      RecordingDuration: '9',
    },
  }),
};

const vonageCall = (callId: string) => ({
  from: CALLER.slice(1),
  to: OUR_NUMBER.slice(1),
  uuid: callId.replaceAll('-', ''),
  conversation_uuid: `CON-${callId}`,
});

/** The claims of a token for this content, as the vendor makes them. */
export const vonageClaims = (body: string | Buffer, now: number) => ({
  iat: Math.floor(now / 1_000),
  jti: randomUUID(),
  iss: 'Vonage',
  payload_hash: hash('sha256', body, 'hex'),
  api_key: 'a1b2c3d4',
  application_id: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
});

const vonage: Sender = {
  provider: 'vonage',
  proofs: ['authorization'],
  refusal: 403,
  type: JSON_TYPE,
  covers: { address: false, content: true },
  newAccountId: () => randomBytes(4).toString('hex'),
  newCallId: randomUUID,
  newKey: () => {
    const secret = randomHex();
    const prove: Key['prove'] = ({ body }, { now }) => ({
      authorization: `Bearer ${signToken(vonageClaims(body, now), { secret })}`,
    });
    return { secret, prove };
  },
  rings: (_, callId) => ({ route: 'voice', fields: vonageCall(callId) }),
  ends: (_, callId) => ({
    route: 'voice',
    step: 'status',
    fields: {
      ...vonageCall(callId),
      status: 'unanswered',
      direction: 'inbound',
      timestamp: '2026-11-15T12:00:20.000Z',
    },
  }),
  recorded: (_, callId, recordingId) => ({
    route: 'recording',
    fields: {
      conversation_uuid: `CON-${callId}`,
      recording_uuid: recordingId,
      recording_url: `https://api.nexmo.com/v1/files/${recordingId}`,
      start_time: '2026-11-15T12:00:01Z',
      end_time: '2026-11-15T12:00:10Z',
      timestamp: '2026-11-15T12:00:12Z',
    },
  }),
};

const bandwidthCall = (accountId: string, callId: string) => ({
  accountId,
  callId,
  applicationId: '04e88489-df02-4e34-a0ee-27a91849555f',
  from: CALLER,
  to: OUR_NUMBER,
  direction: 'inbound',
  startTime: '2026-11-15T12:00:00.000Z',
});

const bandwidth: Sender = {
  provider: 'bandwidth',
  proofs: ['authorization'],
  refusal: 401,
  type: JSON_TYPE,
  covers: { address: false, content: false },
  newAccountId: () => String(randomBytes(4).readUInt32BE()),
  newCallId: () => `c-${randomUUID()}`,
  newKey: () => {
    const secret = `patchbay:${randomHex()}`;
    return { secret, prove: () => ({ authorization: `Basic ${Buffer.from(secret).toString('base64')}` }) };
  },
  rings: (accountId, callId) => ({
    route: 'voice',
    fields: { eventType: 'initiate', eventTime: '2026-11-15T12:00:00.100Z', ...bandwidthCall(accountId, callId) },
  }),
  ends: (accountId, callId) => ({
    route: 'voice',
    step: 'status',
    fields: {
      eventType: 'disconnect',
      eventTime: '2026-11-15T12:00:20.100Z',
      ...bandwidthCall(accountId, callId),
      endTime: '2026-11-15T12:00:20.000Z',
      cause: 'timeout',
    },
  }),
  recorded: (accountId, callId, recordingId) => ({
    route: 'recording',
    fields: {
      eventType: 'recordingAvailable',
      eventTime: '2026-11-15T12:00:21.100Z',
      ...bandwidthCall(accountId, callId),
      recordingId,
      status: 'complete',
      duration: 'PT9S',
      mediaUrl: `https://voice.bandwidth.com/api/v2/accounts/${accountId}/calls/${callId}/recordings/${recordingId}/media`,
    },
  }),
};

export const SENDERS: readonly Sender[] = [twilio, signalwire, telnyx, plivo, vonage, bandwidth];

export const senderOf = (provider: string): Sender => {
  const found = SENDERS.find((sender) => sender.provider === provider);
  if (!found) throw new Error(`Nobody sends for ${provider}.`);
  return found;
};

export const printBody = (type: string, fields: Fields): string =>
  type === FORM_TYPE ? new URLSearchParams(fields).toString() : JSON.stringify(fields);

type Opening = {
  team?: { admin: Person; member: Person };
  mode?: string;
  answer?: object;
  accountId?: string;
  key?: Key;
};

/** A team's account with a number, and its provider, which can send anything. */
export const openLine = async (stage: TelephonyStage, sender: Sender, opening: Opening = {}) => {
  const { server, app, clock } = stage;
  const team = opening.team ?? (await stage.createTeam(`line-${app.newId().slice(-12)}`));
  const { accountId = sender.newAccountId(), key = sender.newKey(), answer = { greeting: 'Welcome.' } } = opening;
  const create = async (url: string, payload: object) => {
    const made = await server.inject({ method: 'POST', url, headers: team.admin.headers, payload });
    if (made.statusCode !== 201) throw new Error(`${url}: ${made.statusCode} ${made.body}`);
    return made.json();
  };
  const account = await create('/api/telephony/accounts', {
    provider: sender.provider,
    accountId,
    secrets: [key.secret],
    ...(opening.mode ? { mode: opening.mode } : {}),
  });
  const number = await create('/api/telephony/numbers', { number: OUR_NUMBER, account: account.id, answer });

  const targetOf = ({ route, step }: Pick<Told, 'route' | 'step'>, id: string = account.id): string =>
    `${route === 'voice' ? VOICE : RECORDING}?account=${id}${step === undefined ? '' : `&step=${step}`}`;
  const print = (told: Told): Unsigned => ({
    method: 'POST',
    target: targetOf(told),
    type: sender.type,
    body: printBody(sender.type, told.fields),
  });
  const sign = (request: Unsigned, signing: Partial<Signing> = {}, by: Key = key): Sent => ({
    ...request,
    headers: by.prove(request, { now: clock.now(), ...signing }),
  });
  return {
    ...{ sender, team, account, accountId, number, key, targetOf, print, sign },
    /** As the provider sends it. */
    honest: (told: Told): Sent => sign(print(told)),
    async count(): Promise<Record<'deliveries' | 'calls' | 'recordings' | 'held', number>> {
      await app.telephony.settle();
      const rowsOf = async (table: string): Promise<number> =>
        Number(
          (
            await app.database.get<{ n: number }>(`select count(*) as n from ${table} where account_id = $1`, [
              account.id,
            ])
          )?.n,
        );
      return {
        deliveries: await rowsOf('deliveries'),
        calls: await rowsOf('calls'),
        recordings: await rowsOf('recordings'),
        held: await rowsOf('held_deliveries'),
      };
    },
    /** The deliveries by outcome. */
    async states(): Promise<string[]> {
      await app.telephony.settle();
      const rows = await app.database.all<{ state: string; problem: string | null }>(
        'select state, problem from deliveries where account_id = $1 order by received_at, id',
        [account.id],
      );
      return rows.map(({ state, problem }) => (problem === null ? state : `${state} (${problem})`));
    },
    async calls(query = '') {
      await app.telephony.settle();
      return (await server.inject({ url: `/api/calls${query}`, headers: team.member.headers })).json().calls;
    },
    async call(id: string) {
      await app.telephony.settle();
      return (await server.inject({ url: `/api/calls/${id}`, headers: team.member.headers })).json();
    },
    async read() {
      await app.telephony.settle();
      const url = `/api/telephony/accounts/${account.id}`;
      return (await server.inject({ url, headers: team.admin.headers })).json();
    },
  };
};

export type Line = Awaited<ReturnType<typeof openLine>>;

let asked = 0;
/** Each from a different address, so that the limit on refusals doesn't respond in place of the lock. */
export const send = (
  { server }: Pick<TelephonyStage, 'server'>,
  { method, target, type, body, headers }: Sent,
  remoteAddress = `10.1.${(++asked >> 8) & 255}.${asked & 255}`,
) =>
  server.inject({
    method,
    url: target,
    remoteAddress,
    headers: { ...(method === 'POST' && type !== '' ? { 'content-type': type } : {}), ...headers },
    ...(method === 'POST' ? { payload: body } : {}),
  });
