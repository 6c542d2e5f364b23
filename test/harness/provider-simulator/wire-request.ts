import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Address, splitAddress } from './template.ts';

/** The header that tells the simulator the intended address. */
export const TRUE_ADDRESS = 'x-simulated-url';
/** And the one that tells it that the proxy has sent it. */
export const BY_PROXY = 'x-simulated-proxy';

export type WireBody = {
  encoding: 'form' | 'json' | 'none' | 'unreadable';
  params: [string, string][];
  /** Fields of a JSON body that aren't strings. */
  odd: string[];
};

export type WireRequest = {
  method: string;
  url: string;
  address: Address;
  headers: Record<string, string>;
  body: WireBody;
};

const readJson = (raw: string): WireBody => {
  const parsed: unknown = JSON.parse(raw);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('not an object');
  const fields = Object.entries(parsed);
  return {
    encoding: 'json',
    params: fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    odd: fields.filter(([, value]) => typeof value !== 'string').map(([name]) => name),
  };
};

export const readBody = (raw: string, contentType = ''): WireBody => {
  if (raw === '') return { encoding: 'none', params: [], odd: [] };
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return { encoding: 'form', params: [...new URLSearchParams(raw)], odd: [] };
  try {
    if (/^application\/json\b/i.test(contentType)) return readJson(raw);
  } catch {
    // Said below.
  }
  return { encoding: 'unreadable', params: [], odd: [] };
};

export const readWireRequest = async (request: IncomingMessage): Promise<WireRequest> => {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
  const url = headers[TRUE_ADDRESS] ?? `http://${headers['host']}${request.url}`;
  return {
    method: request.method ?? '',
    url,
    address: splitAddress(url),
    headers,
    body: readBody(await text(request), headers['content-type']),
  };
};

const decodeBasic = (value: string): string => Buffer.from(/^Basic (.+)$/.exec(value)?.[1] ?? '', 'base64').toString();

/** Everything that can contain a token. */
export const textsOf = ({ address, headers, body }: WireRequest): string[] => [
  address.text,
  ...address.query.map(([, value]) => value),
  ...Object.entries(headers)
    .filter(([name]) => name !== TRUE_ADDRESS)
    .flatMap(([, value]) => [value, decodeBasic(value)]),
  ...body.params.map(([, value]) => value),
];
