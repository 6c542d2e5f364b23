import { Buffer } from 'node:buffer';
import type { OutboundRequest, Secret } from '../../platform/index.ts';
import { expandAddress, expandText, type Values } from '../catalogue/placeholders.ts';
import type { RequestFields } from '../catalogue/provider.ts';

/** The client that makes a request, and whose it is. */
export type Client = {
  id: string;
  secret: Secret | null;
  of: 'operator' | 'team';
  /** For a team's own client: where it was registered. It goes there, and to the entry's domains. */
  params: Values;
};

export type RequestPlan = RequestFields & {
  url: string;
  /** What the protocol requires, before the entry renames, omits or adds anything. */
  protocol: Values;
  /** Whether a client that doesn't authenticate still sends its id. */
  namesClient: boolean;
  /** Default: ten seconds. */
  timeoutMs?: number;
};

type Built = Pick<OutboundRequest, 'url' | 'headers'> & { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; body?: string };

const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

const basicOf = ({ id, secret }: Client, encoding: 'form' | 'raw'): string => {
  const pair = [id, secret?.reveal() ?? ''].map((part) => (encoding === 'raw' ? part : formEncode(part)));
  return `Basic ${Buffer.from(pair.join(':'), 'utf8').toString('base64')}`;
};

const clientParams = ({ auth = 'post', namesClient }: RequestPlan, client: Client): Values => {
  if (auth === 'basic') return {};
  if (auth === 'none') return namesClient ? { client_id: client.id } : {};
  return { client_id: client.id, ...(client.secret ? { client_secret: client.secret.reveal() } : {}) };
};

const paramsOf = (plan: RequestPlan, client: Client, values: Values): [string, string][] => {
  const omitted = new Set(plan.omit);
  const protocol = Object.entries({ ...plan.protocol, ...clientParams(plan, client) })
    .filter(([name]) => !omitted.has(name))
    .map(([name, value]): [string, string] => [plan.rename?.[name] ?? name, value]);
  const own = Object.entries(plan.params ?? {}).map(([name, text]): [string, string] => [
    name,
    expandText(text, values),
  ]);
  // An entry that names a protocol param means to replace it.
  return [...new Map([...protocol, ...own])].filter(([, value]) => value !== '');
};

const headersOf = (plan: RequestPlan, client: Client, values: Values): Record<string, string> => {
  const own = Object.entries(plan.headers ?? {}).map(([name, text]): [string, string] => [
    name.toLowerCase(),
    expandText(text, values),
  ]);
  const all: Record<string, string> = {
    accept: 'application/json',
    'user-agent': 'Patchbay',
    ...(plan.auth === 'basic' ? { authorization: basicOf(client, plan.basicEncoding ?? 'form') } : {}),
    ...Object.fromEntries(own),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
};

/** Builds a request from the entry's plan. Pure: the same plan gives the same bytes. */
export const buildProviderRequest = (plan: RequestPlan, client: Client, given: Values): Built => {
  const values = { ...given, client_id: client.id, client_secret: client.secret?.reveal() ?? '' };
  const { method = 'POST', body = 'form' } = plan;
  const url = expandAddress(plan.url, values);
  const headers = headersOf(plan, client, values);
  const params = paramsOf(plan, client, values);
  if (body === 'query' || (body !== 'none' && method === 'GET')) {
    for (const [name, value] of params) url.searchParams.set(name, value);
    return { url: url.href, method, headers };
  }
  if (body === 'none') return { url: url.href, method, headers };
  return body === 'json'
    ? {
        url: url.href,
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(params)),
      }
    : {
        url: url.href,
        method,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(params).toString(),
      };
};
