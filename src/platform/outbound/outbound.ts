import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inSpan } from '../tracing/in-span.ts';
import { stepAside } from '../turns/owner.ts';
import { capBody } from './cap-body.ts';
import { checkHeaders } from './check-headers.ts';
import { followRedirect, type Hop, type RedirectRule, type RequestBody } from './hop.ts';
import { type Dial, dialAddresses, openSocket } from './open-socket.ts';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import { checkScheme, createResolvers } from './outbound-rules.ts';
import { createOutboundTurns, type OutboundLimits } from './outbound-turns.ts';
import { hostOf, parseUrl } from './parse-url.ts';
import { noteResponse, requestSpan } from './request-span.ts';
import type { DnsSettings } from './resolve-by-dns.ts';
import { type Resolve, resolveHost } from './resolve-host.ts';
import { endStream, expectErrors, sendRequest } from './send-request.ts';
import { startDeadline, type TimeLimit } from './start-deadline.ts';

/**
 * A request whose time limit covers everything from waiting in the queue to the last byte of the body, including
 * redirects.
 */
export type OutboundRequest = TimeLimit & {
  url: string;
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  /** A stream is closed when the request ends, successful or not. */
  body?: RequestBody;
  /** The limit for the body of the response. */
  mostBytes: number;
  /** Which hosts the first request may go to. Default: any. */
  hosts?: (host: string) => boolean;
  /** Which redirects to follow. Default: none, so that a redirect is a response like any other. */
  redirects?: RedirectRule;
  /**
   * Set only if the operator chose the URL. Its host may be private, and its scheme may be http. Time and size are
   * still limited.
   */
  trusted?: boolean;
  signal?: AbortSignal;
};

export type OutboundResponse<Body> = { status: number; headers: IncomingHttpHeaders; body: Body };

/**
 * Guards outgoing requests. Every URL from a user, a payload, or a template must go through it. It only connects over
 * https, to public IP addresses, and to exactly the address it checked, with limits on time and size. A response with
 * any status is returned. Every other outcome throws `OutboundFailed`. docs/decisions/006-outbound-guard.md
 */
export type Outbound = {
  /** Returns the whole response, in memory. */
  request(request: OutboundRequest): Promise<OutboundResponse<Buffer>>;
  /** Returns the status, the headers, and the body as a stream with the same limits. */
  open(request: OutboundRequest): Promise<OutboundResponse<Readable>>;
};

export type OutboundSettings = DnsSettings & {
  /** Allows private IP addresses and plain http, outside production. */
  allowPrivate: boolean;
  /** Default: the system's resolver for trusted URLs, and DNS for all others. */
  resolve?: Resolve;
  dial?: Dial;
  /** How many requests may be open at once. Default: as many as the limit on open files allows. */
  atOnce?: OutboundLimits;
};

const firstHop = ({ url: text, method = 'GET', headers = {}, body, hosts, trusted = false }: OutboundRequest): Hop => {
  const url = parseUrl(text);
  const host = hostOf(url);
  if (hosts && !hosts(host)) throw new OutboundFailed('refused_host', host);
  return { url, method, headers: checkHeaders(headers, host), body, trusted };
};

export const createOutbound = (settings: OutboundSettings): Outbound => {
  const { allowPrivate, dial = dialAddresses } = settings;
  const resolvers = createResolvers(settings);
  const waitForTurn = createOutboundTurns(settings.atOnce);

  const exchange = async (
    hop: Hop,
    mostBytes: number,
    signal: AbortSignal,
    onSend: () => void,
  ): Promise<IncomingMessage> => {
    const exempt = allowPrivate || hop.trusted;
    const host = hostOf(hop.url);
    checkScheme(hop.url, exempt);
    const resolve = hop.trusted ? resolvers.trusted : resolvers.others;
    const addresses = await resolveHost({ resolve }, host, exempt, signal);
    const socket = await openSocket({ dial }, hop.url, addresses, signal);
    onSend();
    return sendRequest(socket, hop, mostBytes);
  };

  const openHops = async (request: OutboundRequest): Promise<OutboundResponse<Readable>> => {
    const { redirects, mostBytes } = request;
    let hop = firstHop(request);
    let sent = false;
    const onSend = () => {
      sent = true;
    };
    const deadline = startDeadline(hostOf(hop.url), request, request.signal);
    try {
      await waitForTurn(deadline.signal);
      for (let followed = 0; ; followed++) {
        const message = await inSpan(requestSpan(hop, followed), async (span) => {
          const received = await exchange(hop, mostBytes, deadline.signal, onSend);
          noteResponse(span, received.statusCode ?? 0);
          return received;
        });
        const next = redirects && followRedirect(hop, message, redirects, followed);
        if (!next) {
          const body = capBody(message, hostOf(hop.url), mostBytes, deadline);
          return { status: message.statusCode ?? 0, headers: message.headers, body };
        }
        message.destroy();
        hop = next;
      }
    } catch (error) {
      const failure = toOutboundFailed(error, hostOf(hop.url), deadline.signal);
      if (failure instanceof OutboundFailed) failure.sent = sent;
      deadline.end();
      throw failure;
    }
  };

  const open: Outbound['open'] = async (request) => {
    stepAside();
    expectErrors(request.body);
    try {
      return await openHops(request);
    } catch (error) {
      endStream(request.body);
      throw error;
    }
  };

  return {
    open,
    async request(request) {
      const { status, headers, body } = await open(request);
      return { status, headers, body: await buffer(body) };
    },
  };
};
