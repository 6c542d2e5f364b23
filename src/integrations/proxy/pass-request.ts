import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type Caller, toRefusal } from '../../http/index.ts';
import {
  callerGone,
  type Forwarded,
  type Forwarder,
  type HeaderList,
  isIdempotent,
  OutboundFailed,
  type OutboundReason,
  type Pause,
  printTraceparent,
  type Refusal,
  type TraceContext,
} from '../../platform/index.ts';
import type { Catalogue } from '../catalogue/provider.ts';
import type { ContainmentWatch } from '../containment/containment-watch.ts';
import { notConnected } from '../errors.ts';
import type { Refresher } from '../refresh/refresh-connection.ts';
import type { CredentialUse, CredentialUses } from '../request-log/credential-uses.ts';
import type { Verifier } from '../verification/verifier.ts';
import { accountOf, isBoundTo } from './allowed/bind-allowed.ts';
import { type AskedRequest, addCredential, type DraftedRequest, draftRequest } from './draft-request.ts';
import { apiNotAllowed, providerTooSlow, providerUnreachable } from './errors.ts';
import type { OpenApi } from './open-api.ts';
import type { OpenApis } from './open-apis.ts';
import type { Places } from './places.ts';
import type { ProxyBody } from './read-body.ts';

/** A request that has to wait for an approval. */
export type ParkedRequest = { draft: DraftedRequest; host: string | null; body: ProxyBody; asker: IncomingHttpHeaders };

export type ProxyContext = {
  /** Patchbay's own URL. */
  url: string;
  pause: Pause;
  catalogue: Catalogue;
  forwarder: Forwarder;
  refresher: Refresher;
  verifier: Verifier;
  apis: OpenApis;
  uses: CredentialUses;
  places: Places;
  containmentWatch: ContainmentWatch;
  /** Stores a request of a restricted token until an admin decides. Returns the refusal that says so. */
  park(caller: Caller, opened: OpenApi, request: ParkedRequest): Promise<Refusal>;
};

type ProxyRequest = AskedRequest & {
  body: ProxyBody;
  signal: AbortSignal;
  /** The trace that the request belongs to, if any. */
  trace: TraceContext | null;
  use: CredentialUse;
  /** Throws if the caller has lost their rights. */
  checkCaller(): Promise<void>;
};

const NOT_ALLOWED = new Set<OutboundReason>(['refused_host', 'refused_address', 'bad_url']);

const mayRepeat = ({ method, headers, body }: ProxyRequest, { api }: OpenApi): boolean => {
  if (body.content instanceof Readable) return false;
  return isIdempotent(method) || headers['idempotency-key'] !== undefined || api.replay !== 'idempotent';
};

const send = ({ forwarder }: ProxyContext, request: ProxyRequest, opened: OpenApi, resends = 0): Promise<Forwarded> => {
  const { method, body, signal, trace } = request;
  const draft = draftRequest(opened, request);
  const { path, headers } = addCredential(draft, opened.credential);
  const tellsTrace = opened.api.traceparent === true;
  const told: HeaderList = tellsTrace && trace ? [['traceparent', printTraceparent(trace)]] : [];
  const length: HeaderList = body.length === null ? [] : [['content-length', String(body.length)]];
  return forwarder.forward({
    owner: opened.connection.teamId,
    method,
    origin: draft.url,
    path,
    headers: [...headers, ...told, ...length],
    body: body.content,
    trusted: draft.trusted,
    signal,
    resends,
    tellsTrace,
  });
};

/** Whether it's the provider's failure that there is no response, or only a part of it. If not, the caller has left. */
export const isProvidersFailure = (error: unknown): boolean =>
  error instanceof OutboundFailed && error.reason !== 'aborted';

/** Makes the refusal for a request that got no response from the provider. */
export const refusalOfFailure = (error: unknown): unknown => {
  if (!(error instanceof OutboundFailed)) return error;
  if (error.reason === 'aborted') return callerGone();
  if (NOT_ALLOWED.has(error.reason)) return apiNotAllowed();
  return error.reason === 'timeout' ? providerTooSlow() : providerUnreachable();
};

/**
 * After a 401, renews the credential. Returns whether there is a new token to try. If it can't be renewed, it's scheduled
 * for verification.
 */
const renew = async ({ refresher, verifier }: ProxyContext, { connection, isPlainKey }: OpenApi): Promise<boolean> => {
  if (!isPlainKey && (await refresher.renew(connection))) return true;
  await verifier.doubt(connection);
  return false;
};

/**
 * Opens the same connection again, perhaps with a new token. Throws if it's gone, or if it's now for another account,
 * site, or tenant.
 */
export const reopen = async ({ apis }: ProxyContext, { connection, api }: OpenApi): Promise<OpenApi> => {
  const reopened = await apis.open(connection);
  const { connection: current } = reopened;
  if (current.id !== connection.id || !isBoundTo(accountOf(connection, api), current, api)) throw notConnected();
  return reopened;
};

/** Ends a response that isn't passed on. Otherwise, its network connection would never be closed. */
export const endBody = ({ body }: Pick<Forwarded, 'body'>): void => {
  if (body instanceof Readable) body.destroy();
};

/** The provider's response. `used` is the connection's API, with the token that was sent in the end. */
export type Passed = { response: Forwarded; used: OpenApi };

/**
 * Passes a request on to the provider's API. If the provider refuses the access token, refreshes the token, and sends
 * the request once more if it may be repeated.
 */
export const passRequest = async (context: ProxyContext, opened: OpenApi, request: ProxyRequest): Promise<Passed> => {
  const { apis } = context;
  let first: Forwarded | null = null;
  try {
    const response = await send(context, request, opened);
    first = response;
    if (response.status !== 401 || !(await renew(context, opened))) return { response, used: opened };
    apis.forget();
    const renewed = mayRepeat(request, opened) ? await reopen(context, opened).catch(() => null) : null;
    if (!renewed) return { response, used: opened };
    await request.checkCaller();
    endBody(response);
    request.use.retry();
    const second = await send(context, request, renewed, 1);
    if (second.status === 401) await context.verifier.doubt(renewed.connection, { isNew: true });
    return { response: second, used: renewed };
  } catch (error) {
    const refusal = refusalOfFailure(error);
    if (first) endBody(first);
    const hasLeft = error instanceof OutboundFailed && error.reason === 'aborted';
    // Without a first response, an error of our own means that nothing was sent.
    if (first || error instanceof OutboundFailed)
      request.use.end({
        status: hasLeft ? null : (toRefusal(refusal)?.status ?? 500),
        from: 'patchbay',
        failed: !hasLeft,
        requestBytes: request.body.count(),
        responseBytes: 0,
      });
    throw refusal;
  }
};
