import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { adminOnly, type Caller } from '../../http/index.ts';
import { type HeaderList, noteInSpan, Refusal, type TraceContext } from '../../platform/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { contained, notConnected } from '../errors.ts';
import type { CredentialUse } from '../request-log/credential-uses.ts';
import { checkPermit, findPermit, onlyConnectionOf, type Permit } from './allowed/check-allowed.ts';
import { refuseDisguised, refuseDisguisedForm } from './allowed/refuse-disguised.ts';
import { checkPath } from './check-path.ts';
import { type AskedRequest, draftRequest } from './draft-request.ts';
import { bodyRefused, headerRefused, NOT_ALLOWED, pathRefused, queryRefused } from './errors.ts';
import type { OpenApi } from './open-api.ts';
import { endBody, isProvidersFailure, type Passed, type ProxyContext, passRequest } from './pass-request.ts';
import { checkRequestHeaders } from './proxy-headers.ts';
import type { ProxyBody } from './read-body.ts';
import { readUpTo } from './read-up-to.ts';
import { returnedHeaders } from './returned-headers.ts';
import { rewriteLinks } from './rewrite-links.ts';

/** A caller's request to a provider's API. */
export type ApiCall = AskedRequest & {
  provider: string;
  /** Null if the caller names none. */
  connection: string | null;
  kind: 'proxy' | 'mcp';
};

/** What is known of a call before its body is read: the connection that it's for, and what allows a restricted token to send it. */
export type Admitted = { wanted: WantedConnection; permit: Permit | null };

/**
 * Refuses a caller who isn't an admin. What a token of the operator's is allowed doesn't depend on its user, who is a
 * customer's.
 */
const checkRole = ({ role, restriction }: Caller): void => {
  if (role !== 'admin' && !restriction?.byOperator) throw adminOnly();
};

/** Does work that throws if a token's rights refuse the call, and logs that. */
const logRefusal = <Result>(
  { catalogue, uses }: Pick<ProxyContext, 'catalogue' | 'uses'>,
  caller: Caller,
  { kind, provider, connection, host, method, path }: ApiCall,
  work: () => Result,
): Result => {
  try {
    return work();
  } catch (error) {
    const hosts = catalogue.get(provider)?.record.api?.hosts ?? {};
    // A name that the entry doesn't have may be anything.
    const known = host !== undefined && Object.hasOwn(hosts, host) ? host : null;
    if (error instanceof Refusal && error.code === NOT_ALLOWED)
      uses.refuse(caller, { kind, provider, connection: connection ?? '', method, host: known, path: `/${path}` });
    throw error;
  }
};

/** Refuses a call that nobody may send, or that a restricted token may not. */
export const admitCall = (
  context: Pick<ProxyContext, 'catalogue' | 'uses'>,
  caller: Caller,
  call: ApiCall,
): Admitted => {
  const { provider, connection, host, method, path, query, headers } = call;
  checkRole(caller);
  const { teamId, restriction } = caller;
  checkRequestHeaders(headers);
  checkPath(path);
  if (!restriction) return { wanted: { teamId, provider, name: connection }, permit: null };
  const { api = null } = findProvider(context.catalogue, provider).record;
  const own = Object.entries(api?.headers ?? {}).flatMap(([name, text]) => (text.includes('{') ? [name] : []));
  const permit = logRefusal(context, caller, call, () => {
    refuseDisguised(headers, query, own);
    return findPermit(restriction, { provider, connection, api, method, host: host ?? null, path: `/${path}` });
  });
  return { wanted: { teamId, provider, name: connection ?? onlyConnectionOf(permit) }, permit };
};

/** Refuses a body that a restricted token may not send. */
export const admitBody = (
  context: Pick<ProxyContext, 'catalogue' | 'uses'>,
  caller: Caller,
  { permit }: Admitted,
  call: ApiCall,
  { content }: ProxyBody,
): void => {
  if (permit) logRefusal(context, caller, call, () => refuseDisguisedForm(call.rawHeaders, content));
};

/** Opens the API of the call's connection. */
export const openCall = async (
  context: Pick<ProxyContext, 'apis' | 'catalogue' | 'uses'>,
  caller: Caller,
  { wanted, permit }: Admitted,
  call: ApiCall,
): Promise<OpenApi> => {
  const opened = await context.apis.open(wanted).catch((error) => {
    // The refusal names the team's other connections, which a restricted token may not know.
    throw permit && error instanceof Refusal && error.members?.['connections'] ? notConnected() : error;
  });
  if (permit) logRefusal(context, caller, call, () => checkPermit(permit, opened));
  return opened;
};

type Sending = {
  admitted: Admitted;
  body: ProxyBody;
  signal: AbortSignal;
  trace: TraceContext | null;
  checkCaller(): Promise<void>;
};

/** The provider's response. Call `end` when it was passed on, or no more of it is wanted. */
export type Exchanged = Passed & { end(): void };

const endUse = (use: CredentialUse, { response }: Passed, body: ProxyBody): void => {
  const { status, body: content } = response;
  const failed = status >= 400 || (content instanceof Readable && isProvidersFailure(content.errored));
  use.end({ status, from: 'provider', failed, requestBytes: body.count(), responseBytes: response.count() });
};

/** Sends a call with the connection's credential, or throws what says that it has to be approved. */
export const sendCall = async (
  context: ProxyContext,
  caller: Caller,
  opened: OpenApi,
  call: ApiCall,
  { admitted: { permit }, body, ...sending }: Sending,
): Promise<Exchanged> => {
  const { kind, method, path, headers } = call;
  const host = call.host ?? null;
  if (permit?.asks) {
    const draft = draftRequest(opened, call);
    throw await context.park(caller, opened, { draft, host, body, asker: headers });
  }
  const traceId = sending.trace?.traceId ?? null;
  const use = context.uses.begin(opened.connection, caller, { kind, method, host, path: `/${path}`, traceId });
  noteInSpan({ 'patchbay.provider': opened.connection.provider });
  const watch = context.containmentWatch.watch(opened.connection, caller.tokenId ?? null);
  const signal = AbortSignal.any([sending.signal, watch.signal]);
  try {
    const passed = await passRequest(context, opened, { ...call, ...sending, signal, body, use });
    return {
      ...passed,
      end() {
        watch.end();
        endUse(use, passed, body);
      },
    };
  } catch (error) {
    watch.end();
    throw watch.signal.aborted ? contained() : error;
  }
};

/** A call that wasn't made over HTTP, with all of its body. */
export type WholeCall = Omit<ApiCall, 'headers' | 'rawHeaders' | 'kind'> & { headers: HeaderList; body: Buffer | null };

/** The request that the call is a part of. */
type Part = {
  /** The call ends when this response is closed. */
  response: ServerResponse;
  trace: TraceContext | null;
  /** Throws if the caller has lost their rights, or returns who they are now. */
  checkCaller(): Promise<Caller>;
};

/** What the provider returned, without headers that aren't meant for the caller. */
export type WholeAnswer = {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** Whether there was more, or the response failed on the way. */
  isCut: boolean;
};

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\t\x20-\x7e]*$/;
const NOT_IN_URL = /[^\x21-\x7e]|#/;

/** Checks what an HTTP parser would have refused, or read as two requests. */
const checkWhole = ({ method, path, query, headers, body }: WholeCall): void => {
  if (path.includes('?')) throw pathRefused();
  if (NOT_IN_URL.test(query)) throw queryRefused();
  const flaw = headers.find(([name, value]) => !NAME.test(name) || !VALUE.test(value));
  if (flaw) throw headerRefused(NAME.test(flaw[0]) ? flaw[0] : 'name');
  if (body && (method === 'GET' || method === 'HEAD')) throw bodyRefused();
};

const toIncoming = (headers: HeaderList): IncomingHttpHeaders => {
  const incoming: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    incoming[name] = Object.hasOwn(incoming, name) ? `${incoming[name]}, ${value}` : value;
  }
  return incoming;
};

const toBody = (content: Buffer | null): ProxyBody => ({
  content,
  length: null,
  count: () => content?.length ?? 0,
  release: () => undefined,
});

/** Calls a provider's API as the proxy does, with the same checks and the same records. Reads the response up to a limit. */
export const callApi = async (
  context: ProxyContext,
  caller: Caller,
  { body: content, ...asked }: WholeCall,
  { response: held, trace, checkCaller: findCaller }: Part,
  most: number,
): Promise<WholeAnswer> => {
  checkWhole({ ...asked, body: content });
  const call: ApiCall = {
    ...asked,
    ...{ kind: 'mcp', headers: toIncoming(asked.headers), rawHeaders: asked.headers.flat() },
  };
  const admitted = admitCall(context, caller, call);
  const checkCaller = async (): Promise<void> => checkRole(await findCaller());
  await context.pause.check();
  const body = toBody(content);
  admitBody(context, caller, admitted, call, body);
  await checkCaller();
  const { teamId, userId } = caller;
  const signal = context.places.take(held, { teamId, userId, body: content });
  const opened = await openCall(context, caller, admitted, call);
  await checkCaller();
  const { response, used, end } = await sendCall(context, caller, opened, call, {
    ...{ admitted, body, signal, trace, checkCaller },
  });
  try {
    const follower = { origin: context.url, headers: {}, original: false };
    const place = { ...call, connection: admitted.wanted.name };
    const headers = returnedHeaders(response, used.credential, (list) => rewriteLinks(list, used, place, follower));
    return { status: response.status, headers, ...(await readUpTo(response, most)) };
  } finally {
    end();
    endBody(response);
  }
};
