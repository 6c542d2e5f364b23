import type { KeyRecord } from '../../../src/integrations/catalogue/key-record.ts';
import { type Json, putAt } from './answer-path.ts';
import type { SimulatedAnswer } from './answer-request.ts';
import { compareParams } from './find-flaws.ts';
import { createClient, type SimulatedClient } from './simulated-client.ts';
import type { Account, Values } from './simulated-provider.ts';
import { type Address, fill, fillAddress, fillAll } from './template.ts';
import type { WireRequest } from './wire-request.ts';

/** A provider with a key that works, and whose it is. */
export type SimulatedKey = {
  record: KeyRecord;
  fields: Values;
  params: Values;
  account: Account;
  /** The verification that it accepts, at this time. */
  readonly expected: ReturnType<typeof expectVerification>;
  /** What it issues tokens for, if the key is not used itself. */
  client: SimulatedClient | null;
};

/** With characters that read differently raw, encoded, and as a placeholder. */
const valueFor = (id: string, name: string): string => `${name} of ${id} +%41&=/~{password}`;

const USUAL = {
  api_key: 'Bearer {api_key}',
  basic: 'Basic {username}:{password}',
  client_credentials: 'Bearer {access_token}',
};

/** Any request will do if the entry names none. */
export const callOfKey = ({ api }: KeyRecord): NonNullable<KeyRecord['api']['verify']> =>
  api.verify ?? { method: 'GET', path: '/simulated' };

const credentialHeaders = ({ kind, api }: KeyRecord, values: Values): Values => {
  const credential = api.credential ?? { header: 'authorization', format: USUAL[kind] };
  if ('query' in credential) return {};
  const formats = 'headers' in credential ? credential.headers : { [credential.header]: credential.format };
  return Object.fromEntries(
    Object.entries(formats).map(([header, format]) => {
      const [, pair] = /^Basic (.*)$/.exec(format) ?? [];
      const basic = pair !== undefined && `Basic ${Buffer.from(fill(pair, values)).toString('base64')}`;
      return [header.toLowerCase(), basic || fill(format, values)];
    }),
  );
};

const expectVerification = ({ record, fields, params }: Pick<SimulatedKey, 'record' | 'fields' | 'params'>) => {
  const { api } = record;
  const values = { ...params, ...fields };
  const { method, path, host, headers: ownHeaders } = callOfKey(record);
  const address = fillAddress(`${host === undefined ? api.url : api.hosts?.[host]}${path}`, values);
  const inQuery: [string, string][] =
    api.credential && 'query' in api.credential ? [[api.credential.query, fields['api_key'] ?? '']] : [];
  const headers = Object.entries({
    ...fillAll({ ...api.headers, ...ownHeaders }, values),
    ...credentialHeaders(record, values),
  });
  return { method, address: { ...address, query: [...address.query, ...inQuery] }, headers };
};

export const createKey = (record: KeyRecord): SimulatedKey => {
  const { id, params: declared = {} } = record;
  const fields = Object.fromEntries(Object.keys(record.fields).map((name) => [name, valueFor(id, name)]));
  const params = Object.fromEntries(Object.entries(declared).map(([name, { example }]) => [name, example]));
  const account = { id: `account at ${id}`, label: `label at ${id}` };
  const client = record.kind === 'client_credentials' ? createClient(record, fields, params) : null;
  const expect = () => {
    const access_token = client?.issued.at(-1)?.value ?? '';
    return expectVerification({ record, fields: { ...fields, access_token }, params: { ...params, ...client?.kept } });
  };
  const unchanging = expect();
  return {
    ...{ record, fields, params, account, client },
    get expected() {
      return client ? expect() : unchanging;
    },
  };
};

export const isKeyAddress = ({ expected }: SimulatedKey, { text }: Address): boolean => expected.address.text === text;

/** Accepts exactly the request that the entry describes, with the key that works. */
export const answerKeyRequest = (key: SimulatedKey, request: WireRequest, now: number): SimulatedAnswer => {
  const { method, address, headers } = key.expected;
  const { identity } = key.record;
  const reasons = [
    ...(request.method === method ? [] : [`the method is ${request.method}, wanted ${method}`]),
    ...compareParams('the query', request.address.query, Object.fromEntries(address.query)).map(({ reason }) => reason),
    ...headers
      .filter(([name, value]) => request.headers[name.toLowerCase()] !== value)
      .map(([name]) => `header "${name}" is not as wanted`),
    ...(key.client && !key.client.works(key.client.issued.at(-1)?.value ?? '', now) ? ['the token has expired'] : []),
  ];
  if (reasons.length > 0) return { status: 401, body: { error: 'unauthorized' }, reasons };
  const { has = [], status = 200 } = callOfKey(key.record);
  const places: [string, string][] = [
    ...(identity
      ? ([
          [identity.id, key.account.id],
          [identity.label, key.account.label],
        ] as [string, string][])
      : []),
    ...has.map((path): [string, string] => [path, 'there']),
  ];
  const body = places.reduce<Json>((filled, [path, value]) => putAt(filled, path, value), {});
  if (identity?.id === identity?.label) key.account = { ...key.account, label: key.account.id };
  return { status, body, reasons };
};
