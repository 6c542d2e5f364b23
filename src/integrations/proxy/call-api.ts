import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '../../http/index.ts';
import type { HeaderList, TraceContext } from '../../platform/index.ts';
import { type ApiCall, admitBody, admitCall, checkRole, openCall, sendCall } from './api-call.ts';
import { bodyRefused, headerRefused, pathRefused, queryRefused } from './errors.ts';
import { rewriteLinks } from './links/rewrite-links.ts';
import { endBody, type ProxyContext, reopen } from './pass-request.ts';
import type { ProxyBody } from './read-body.ts';
import { readUpTo } from './read-up-to.ts';
import { returnedHeaders } from './returned-headers.ts';
import { createRights } from './rights.ts';

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

/** Watches that a call may go on. `check` throws if it may not, and `signal` aborts it then. */
const watchRights = (check: () => Promise<void>) => {
  const lost = new AbortController();
  return { signal: lost.signal, stop: createRights(check).watch(() => lost.abort()) };
};

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
  const left = context.places.take(held, { teamId, userId, body: content });
  const opened = await openCall(context, caller, admitted, call);
  const check = async (): Promise<void> => {
    await checkCaller();
    await reopen(context, opened);
  };
  await checkCaller();
  const rights = watchRights(check);
  const signal = AbortSignal.any([left, rights.signal]);
  try {
    const sending = { admitted, body, signal, trace, checkCaller };
    const { response, used, end } = await sendCall(context, caller, opened, call, sending);
    try {
      const follower = { origin: context.url, headers: {}, original: false };
      const place = { ...call, connection: admitted.wanted.name };
      const headers = returnedHeaders(response, used.credential, (list) => rewriteLinks(list, used, place, follower));
      const answer = { status: response.status, headers, ...(await readUpTo(response, most)) };
      // What the provider said meanwhile is for nobody who has lost access.
      await check();
      return answer;
    } finally {
      end();
      endBody(response);
    }
  } finally {
    rights.stop();
  }
};
