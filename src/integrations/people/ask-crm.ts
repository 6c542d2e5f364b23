import { Refusal } from '../../platform/index.ts';
import { fillBody, fillOptional, type OptionalValues } from '../catalogue/people/fill-body.ts';
import type { CrmAsk } from '../catalogue/people/people.ts';
import { readRetryAfter } from '../catalogue/provider-failure.ts';
import type { IntegrationsContext } from '../context.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import { endBody, type ProxyContext, passRequest, reopen } from '../proxy/pass-request.ts';
import { readUpTo } from '../proxy/read-up-to.ts';

/** What became of a request. After `away` and `unreadable`, the provider may have carried it out. */
export type CrmAnswer =
  | { state: 'answered'; content: unknown }
  | { state: 'refused' | 'not_allowed'; status: number }
  | { state: 'busy'; retryAfterMs: number | null }
  | { state: 'away' | 'unreadable' };

/** What sends requests of the service itself. */
export type CrmContext = ProxyContext & IntegrationsContext;

/** How long a response may take. */
const MOST_MS = 15_000;
const MOST_BYTES = 2 * 1024 * 1024;

const NOT_ALLOWED: readonly number[] = [401, 403];
const BUSY = 429;
/** Statuses below 500 after which another try may work: a timeout, a lock, and a conflict with another request. */
const PASSING: readonly number[] = [408, 423, 425];

const encode = (value: string): string => encodeURIComponent(value).replaceAll(/^\.{1,2}$/g, '_');

const printQuery = (query: Readonly<Record<string, string>>, values: OptionalValues): string =>
  Object.entries(query)
    .flatMap(([name, text]) => {
      const value = fillOptional(text, values);
      return value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
    })
    .join('&');

const parse = (body: Buffer): { content: unknown } | null => {
  try {
    return { content: body.length === 0 ? null : JSON.parse(body.toString()) };
  } catch {
    return null;
  }
};

const toAnswer = (status: number, retryAfter: string | undefined, now: number): CrmAnswer | null => {
  if (status === BUSY) return { state: 'busy', retryAfterMs: readRetryAfter(retryAfter, now) };
  if (status >= 500 || PASSING.includes(status)) return { state: 'away' };
  if (NOT_ALLOWED.includes(status)) return { state: 'not_allowed', status };
  if (status >= 300) return { state: 'refused', status };
  return null;
};

/** Fills in a request. Null if its path lacks a value. */
const draft = (ask: CrmAsk, values: OptionalValues) => {
  const path = fillOptional(ask.path, values, encode);
  if (path === null) return null;
  const content = ask.body ? Buffer.from(JSON.stringify(fillBody(ask.body, values))) : null;
  const headers = { accept: 'application/json', ...(content ? { 'content-type': 'application/json' } : {}) };
  return {
    call: {
      method: ask.method,
      path: path.slice(1),
      query: printQuery(ask.query ?? {}, values),
      headers,
      rawHeaders: Object.entries(headers).flat(),
      host: ask.host,
    },
    body: { content, length: content?.length ?? null, count: () => content?.length ?? 0, release: () => undefined },
  };
};

/**
 * Sends a request for the service itself, through the proxy's code: the same addresses, credential, renewal after a 401,
 * and records. Stops if the connection is contained, removed, or replaced meanwhile.
 */
export const askCrm = async (
  context: CrmContext,
  opened: OpenApi,
  ask: CrmAsk,
  values: OptionalValues,
): Promise<CrmAnswer> => {
  const drafted = draft(ask, values);
  if (!drafted) return { state: 'refused', status: 400 };
  const { call, body } = drafted;
  const { clock, uses, containmentWatch } = context;
  const { connection } = opened;
  const checkCaller = async (): Promise<void> => {
    await context.pause.check();
    await reopen(context, opened);
  };
  const path = `/${call.path}`;
  const use = uses.begin(
    connection,
    { userId: '', via: 'service' },
    { kind: 'people', method: call.method, host: call.host ?? null, path, traceId: null },
  );
  const watch = containmentWatch.watch(connection, null);
  const signal = AbortSignal.any([AbortSignal.timeout(MOST_MS), watch.signal]);
  try {
    const { response } = await passRequest(context, opened, {
      ...{ ...call, body, signal, trace: null, use, checkCaller },
    });
    const { body: bytes, isCut } = await readUpTo(response, MOST_BYTES);
    endBody(response);
    const { status, headers } = response;
    const failed = status >= 400 || isCut;
    use.end({ status, from: 'provider', failed, requestBytes: body.count(), responseBytes: response.count() });
    const retryAfter = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
    const answer = toAnswer(status, retryAfter, clock.now());
    if (answer) return answer;
    const parsed = isCut ? null : parse(bytes);
    return parsed ? { state: 'answered', content: parsed.content } : { state: 'unreadable' };
  } catch (error) {
    if (error instanceof Refusal) return { state: 'away' };
    throw error;
  } finally {
    watch.end();
  }
};
