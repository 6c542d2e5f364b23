import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a request at the server is for. A token request is identified by its grant type. */
export type Kind = 'discovery' | 'authorize' | 'code' | 'refresh' | 'client' | 'revoke' | 'userinfo' | 'other';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** One request at the gate. Until `forward` is called, the server behind it doesn't know about it. */
export type Exchange = { forward(): Promise<Answer>; response: ServerResponse };

/** What happens to a request instead of the normal response. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

export type Seen = {
  kind: Kind;
  /** However the client identified itself. */
  clientId: string | null;
  params: URLSearchParams;
};

export type Issued = { kind: Kind; accessToken: string; refreshToken: string };

const KINDS: readonly [RegExp, Kind][] = [
  [/^\/\.well-known\//, 'discovery'],
  [/^\/auth/, 'authorize'],
  [/^\/token\/revocation/, 'revoke'],
  [/^\/me/, 'userinfo'],
];

const GRANTS: Readonly<Record<string, Kind>> = { refresh_token: 'refresh', client_credentials: 'client' };

const kindOf = (pathname: string, params: URLSearchParams): Kind => {
  if (pathname === '/token') return GRANTS[params.get('grant_type') ?? ''] ?? 'code';
  return KINDS.find(([pattern]) => pattern.test(pathname))?.[1] ?? 'other';
};

const TOKEN_KINDS: ReadonlySet<Kind> = new Set(['code', 'refresh', 'client']);

const isAt = (pathname: string, kind: Kind): boolean =>
  pathname === '/token' ? TOKEN_KINDS.has(kind) : kindOf(pathname, new URLSearchParams()) === kind;

const clientOf = ({ authorization = '' }: IncomingHttpHeaders, params: URLSearchParams): string | null => {
  if (!authorization.startsWith('Basic ')) return params.get('client_id');
  const [id = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  return decodeURIComponent(id);
};

export const sendAnswer = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.writeHead(status, headers).end(body);
};

const listen = async (server: ReturnType<typeof createServer>, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const forwardTo = async (port: number, incoming: IncomingMessage, body: Buffer): Promise<Answer> => {
  const { method = 'GET', url = '/', headers } = incoming;
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
  passed.end(body);
  const [answer] = (await once(passed, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
};

/**
 * The network in front of a server: every request passes, is counted, and fails on demand. A failure before `forward`
 * keeps the server from knowing about it; a failure after it loses the response to work that was done.
 */
export const openGate = async () => {
  const seen: Seen[] = [];
  const issued: Issued[] = [];
  let plans: { kind: Kind; fault: Fault; left: number }[] = [];
  let behind = 0;

  const noteIssued = (kind: Kind, { status, body }: Answer): void => {
    if ((kind !== 'code' && kind !== 'refresh') || status !== 200) return;
    const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(body.toString());
    issued.push({ kind, accessToken, refreshToken });
  };

  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://gate.invalid');
    const isForm = incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const params = isForm ? new URLSearchParams(body.toString()) : searchParams;
    const kind = kindOf(pathname, params);
    seen.push({ kind, clientId: clientOf(incoming.headers, params), params });
    const forward = async (): Promise<Answer> => {
      const answer = await forwardTo(behind, incoming, body);
      noteIssued(kind, answer);
      return answer;
    };
    const plan = plans.find((one) => one.kind === kind && one.left > 0);
    if (!plan) return sendAnswer(response, await forward());
    plan.left--;
    await plan.fault({ forward, response });
  };

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    pass(incoming, response).catch(() => response.destroy());
  });
  const port = await listen(server, 0);

  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };

  return {
    url: `http://127.0.0.1:${port}`,
    /** Every request, in the order of arrival. */
    seen,
    /** Every set of tokens that the server has issued, whether or not the response arrived. */
    issued,
    setBehind(innerPort: number): void {
      behind = innerPort;
    },
    count: (kind: Kind): number => seen.filter((one) => one.kind === kind).length,
    /** The next requests of this kind fail. */
    fail(kind: Kind, fault: Fault, times = 1): void {
      plans.push({ kind, fault, left: times });
    },
    /** What may happen to the next request to this address. */
    plannedAt(url: string): Fault[] {
      const { pathname } = new URL(url);
      return plans.filter(({ kind, left }) => left > 0 && isAt(pathname, kind)).map(({ fault }) => fault);
    },
    /** From now on, everything works. */
    mend(): void {
      plans = [];
    },
    /** Holds the next request of this kind: before the server sees it, or when its response is ready. */
    hold(kind: Kind, when: 'before' | 'after', then: Fault = async () => undefined) {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      plans.push({
        kind,
        left: 1,
        fault: async (exchange) => {
          const ready = when === 'after' ? await exchange.forward() : null;
          arrived.resolve();
          await released.promise;
          await then(exchange);
          if (!exchange.response.writableEnded && !exchange.response.destroyed)
            sendAnswer(exchange.response, ready ?? (await exchange.forward()));
        },
      });
      return { arrived: arrived.promise, release: released.resolve };
    },
    /** Nobody listens: connections are refused. */
    close,
    open: async (): Promise<void> => void (await listen(server, port)),
  };
};

export type Gate = Awaited<ReturnType<typeof openGate>>;
