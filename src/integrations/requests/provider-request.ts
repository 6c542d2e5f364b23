import { Buffer } from 'node:buffer';
import type { OutboundRequest } from '../../platform/index.ts';
import { type Client, revealFields } from '../catalogue/client.ts';
import { expandAddress, expandText, type Values } from '../catalogue/placeholders.ts';
import type { RequestFields } from '../catalogue/provider.ts';

export type RequestPlan = RequestFields & {
  url: string;
  /** Params that the protocol requires, before the entry renames, omits or adds any. */
  protocol: Values;
  /** Whether a client that doesn't authenticate still sends its ID. */
  namesClient: boolean;
  /** Default: ten seconds. */
  timeoutMs?: number;
  /** The maximum size of the response in bytes. Default: 64 KiB. */
  mostBytes?: number;
};

type Built = Pick<OutboundRequest, 'url' | 'headers'> & { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; body?: string };

const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

const basicOf = ({ id, secret }: Client, encoding: 'form' | 'raw'): string => {
  const pair = [id, secret?.reveal() ?? ''].map((part) => (encoding === 'raw' ? part : formEncode(part)));
  return `Basic ${Buffer.from(pair.join(':'), 'utf8').toString('base64')}`;
};

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const clientParams = (
  { auth = 'post', namesClient }: RequestPlan,
  client: Client,
  assertion: string | null,
): Values => {
  if (auth === 'none') return namesClient ? { client_id: client.id } : {};
  if (assertion !== null)
    return { client_id: client.id, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
  if (auth === 'basic') return {};
  return { client_id: client.id, ...(client.secret ? { client_secret: client.secret.reveal() } : {}) };
};

const paramsOf = (plan: RequestPlan, client: Client, values: Values, assertion: string | null): [string, string][] => {
  const omitted = new Set(plan.omit);
  const protocol = Object.entries({ ...plan.protocol, ...clientParams(plan, client, assertion) })
    .filter(([name]) => !omitted.has(name))
    .map(([name, value]) => [plan.rename?.[name] ?? name, value] as const);
  const own = Object.entries(plan.params ?? {}).map(([name, text]) => [name, expandText(text, values)] as const);
  // A param of the entry replaces the protocol's param with the same name.
  return [...new Map([...protocol, ...own])].filter(([, value]) => value !== '');
};

const headersOf = (plan: RequestPlan, client: Client, values: Values): Record<string, string> => {
  const all = new Map([
    ['accept', 'application/json'],
    ['user-agent', 'Patchbay'],
    ['authorization', plan.auth === 'basic' && !client.key ? basicOf(client, plan.basicEncoding ?? 'form') : ''],
  ]);
  for (const [name, text] of Object.entries(plan.headers ?? {})) all.set(name.toLowerCase(), expandText(text, values));
  return Object.fromEntries([...all].filter(([, value]) => value !== ''));
};

/**
 * Builds a request from the entry's plan. The same plan and values give the same bytes. `assertion`: signed for this
 * request, if the client has a private key.
 */
export const buildProviderRequest = (
  plan: RequestPlan,
  client: Client,
  given: Values,
  assertion: string | null = null,
): Built => {
  const values = {
    ...given,
    ...revealFields(client),
    client_id: client.id,
    client_secret: client.secret?.reveal() ?? '',
  };
  const { method = 'POST', body = 'form' } = plan;
  const url = expandAddress(plan.url, values);
  const headers = headersOf(plan, client, values);
  const params = paramsOf(plan, client, values, assertion);
  const inQuery = body === 'query' || (body !== 'none' && method === 'GET');
  if (inQuery) for (const [name, value] of params) url.searchParams.set(name, value);
  const built = { url: url.href, method };
  if (inQuery || body === 'none') return { ...built, headers };
  const [type, text] =
    body === 'json'
      ? ['application/json', JSON.stringify(Object.fromEntries(params))]
      : ['application/x-www-form-urlencoded', new URLSearchParams(params).toString()];
  return { ...built, headers: { ...headers, 'content-type': type }, body: text };
};
