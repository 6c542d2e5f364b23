import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { capBody } from './cap-body.ts';
import { checkHeaders } from './check-headers.ts';
import { followRedirect, type Hop, type RedirectRule, type RequestBody } from './hop.ts';
import { type Dial, dialAddresses, openSocket } from './open-socket.ts';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import { hostOf, parseUrl } from './parse-url.ts';
import { type Resolve, resolveBySystem, resolveHost } from './resolve-host.ts';
import { endStream, sendRequest } from './send-request.ts';
import { startDeadline } from './start-deadline.ts';

export type OutboundRequest = {
  url: string;
  /** GET where it is left out. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  /** A stream is ended with the request, however that ends. */
  body?: RequestBody;
  /** For all of it: name, connection, redirects and the last byte of the body. */
  timeoutMs: number;
  /** Of the answer's body. */
  mostBytes: number;
  /** Which hosts may be asked at first. Any, where it is left out. */
  hosts?: (host: string) => boolean;
  /** Without this, a redirect is an answer like any other. */
  redirects?: RedirectRule;
  /** Only for an address that the operator has set: it may be private and plain http. Time and size stay limited. */
  trusted?: boolean;
  signal?: AbortSignal;
};

export type OutboundAnswer<Body> = { status: number; headers: IncomingHttpHeaders; body: Body };

/**
 * The guard on outgoing requests, and the only way out for an address that comes from a user, a payload or a template.
 * It goes to public addresses only, over https only, to the very address that was checked, within a time and a size.
 * What is no answer is thrown as `OutboundFailed`; any status is an answer. docs/decisions/006-outbound-guard.md
 */
export type Outbound = {
  /** The whole answer in memory. */
  request(request: OutboundRequest): Promise<OutboundAnswer<Buffer>>;
  /** The head of the answer, and the body as a stream that keeps to the same limits. */
  open(request: OutboundRequest): Promise<OutboundAnswer<Readable>>;
};

export type OutboundSettings = {
  /** Outside production: private addresses and plain http are allowed. */
  allowPrivate: boolean;
  resolve?: Resolve;
  dial?: Dial;
};

const firstHop = ({ url: text, method = 'GET', headers = {}, body, hosts, trusted = false }: OutboundRequest): Hop => {
  const url = parseUrl(text);
  const host = hostOf(url);
  if (hosts && !hosts(host)) throw new OutboundFailed('refused_host', host);
  return { url, method, headers: checkHeaders(headers, host), body, trusted };
};

export const createOutbound = ({
  allowPrivate,
  resolve = resolveBySystem,
  dial = dialAddresses,
}: OutboundSettings): Outbound => {
  const exchange = async (hop: Hop, signal: AbortSignal, onSend: () => void): Promise<IncomingMessage> => {
    const exempt = allowPrivate || hop.trusted;
    const host = hostOf(hop.url);
    if (hop.url.protocol === 'http:' && !exempt) throw new OutboundFailed('bad_url', host, 'not https');
    const addresses = await resolveHost({ resolve }, host, exempt, signal);
    const socket = await openSocket({ dial }, hop.url, addresses, signal);
    onSend();
    return sendRequest(socket, hop);
  };

  const openHops = async (request: OutboundRequest): Promise<OutboundAnswer<Readable>> => {
    const { redirects, mostBytes } = request;
    let hop = firstHop(request);
    let sent = false;
    const onSend = () => {
      sent = true;
    };
    const deadline = startDeadline(hostOf(hop.url), request.timeoutMs, request.signal);
    try {
      for (let followed = 0; ; followed++) {
        const message = await exchange(hop, deadline.signal, onSend);
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
