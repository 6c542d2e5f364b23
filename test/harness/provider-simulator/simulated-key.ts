import type { KeyRecord } from '../../../src/integrations/catalogue/key-record.ts';
import { type Json, putAt } from './answer-path.ts';
import type { SimulatedAnswer } from './answer-request.ts';
import { compareParams } from './find-flaws.ts';
import type { Account, Values } from './simulated-provider.ts';
import { type Address, fill, fillAddress, fillAll } from './template.ts';
import type { WireRequest } from './wire-request.ts';

/** A provider with a key that works, and whose it is. */
export type SimulatedKey = { record: KeyRecord; fields: Values; params: Values; account: Account };

/** With characters that read differently raw, encoded, and as a placeholder. */
const valueFor = (id: string, name: string): string => `${name} of ${id} +%41&=/~{password}`;

export const createKey = (record: KeyRecord): SimulatedKey => {
  const { id, fields, params = {} } = record;
  const examples = Object.entries(params).map(([name, { example }]) => [name, example]);
  return {
    record,
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, valueFor(id, name)])),
    params: Object.fromEntries(examples),
    account: { id: `account at ${id}`, label: `label at ${id}` },
  };
};

const credentialHeaders = ({ kind, api }: KeyRecord, values: Values): Values => {
  const usual = kind === 'basic' ? 'Basic {username}:{password}' : 'Bearer {api_key}';
  const credential = api.credential ?? { header: 'authorization', format: usual };
  if ('query' in credential) return {};
  const [, pair] = /^Basic (.*)$/.exec(credential.format) ?? [];
  const text =
    pair === undefined
      ? fill(credential.format, values)
      : `Basic ${Buffer.from(fill(pair, values)).toString('base64')}`;
  return { [credential.header.toLowerCase()]: text };
};

const expectVerification = ({ record, fields, params }: SimulatedKey) => {
  const { api } = record;
  const values = { ...params, ...fields };
  const { method = 'GET', path = '', host } = api.verify ?? {};
  const address = fillAddress(`${host === undefined ? api.url : api.hosts?.[host]}${path}`, values);
  const inQuery: [string, string][] =
    api.credential && 'query' in api.credential ? [[api.credential.query, fields['api_key'] ?? '']] : [];
  const headers = Object.entries({ ...fillAll(api.headers, values), ...credentialHeaders(record, values) });
  return { method, address: { ...address, query: [...address.query, ...inQuery] }, headers };
};

export const isKeyAddress = (key: SimulatedKey, { text }: Address): boolean =>
  expectVerification(key).address.text === text;

/** Accepts exactly the request that the entry describes, with the key that works. */
export const answerKeyRequest = (key: SimulatedKey, request: WireRequest): SimulatedAnswer => {
  const { method, address, headers } = expectVerification(key);
  const { identity } = key.record;
  const reasons = [
    ...(request.method === method ? [] : [`the method is ${request.method}, wanted ${method}`]),
    ...compareParams('the query', request.address.query, Object.fromEntries(address.query)).map(({ reason }) => reason),
    ...headers
      .filter(([name, value]) => request.headers[name.toLowerCase()] !== value)
      .map(([name]) => `header "${name}" is not as wanted`),
  ];
  if (reasons.length > 0) return { status: 401, body: { error: 'unauthorized' }, reasons };
  const places: [string, string][] = identity
    ? [
        [identity.id, key.account.id],
        [identity.label, key.account.label],
      ]
    : [];
  const body = places.reduce<Json>((filled, [path, value]) => putAt(filled, path, value), {});
  if (identity?.id === identity?.label) key.account = { ...key.account, label: key.account.id };
  return { status: 200, body, reasons };
};
