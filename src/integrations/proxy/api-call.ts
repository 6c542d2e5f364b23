import { Readable } from 'node:stream';
import { adminOnly, type Caller } from '../../http/index.ts';
import { noteInSpan, Refusal, type TraceContext } from '../../platform/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { contained, notConnected } from '../errors.ts';
import type { CredentialUse } from '../request-log/credential-uses.ts';
import { checkPermit, findPermit, onlyConnectionOf, type Permit } from './allowed/check-allowed.ts';
import { refuseDisguised, refuseDisguisedForm } from './allowed/refuse-disguised.ts';
import { checkPath } from './check-path.ts';
import { type AskedRequest, draftRequest } from './draft-request.ts';
import { NOT_ALLOWED } from './errors.ts';
import type { OpenApi } from './open-api.ts';
import { isProvidersFailure, type Passed, type ProxyContext, passRequest } from './pass-request.ts';
import { checkRequestHeaders } from './proxy-headers.ts';
import type { ProxyBody } from './read-body.ts';

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
export const checkRole = ({ role, restriction }: Caller): void => {
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
