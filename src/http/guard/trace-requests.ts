import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  currentWork,
  parseTraceparent,
  type TraceContext,
  type Tracer,
  type TraceSpan,
  workFor,
} from '../../platform/index.ts';

const LEAST_FAILURE = 500;

/** Where the variable parts of a route's pattern are. */
const VARIABLE = /:\w+|\*/g;

/** Strangers may name any trace, so only that of a known caller is continued. */
const callersTrace = ({ caller, route, headers }: FastifyRequest): TraceContext | null =>
  caller || typeof route.access === 'object' ? parseTraceparent(headers['traceparent']) : null;

/** The trace that a request belongs to: ours if spans are exported, otherwise the caller's own. */
export const traceOf = (request: FastifyRequest): TraceContext | null =>
  currentWork().tracer?.context ?? callersTrace(request);

/**
 * Makes each request a span, once it's known who is calling. What anyone may request has none, so that strangers can't
 * fill the collector. The path is the route's pattern, because in a path there can be a sign-in link, a phone number,
 * or a person.
 */
export const createRequestTraces = (tracer: Tracer, publicUrl: string) => {
  const { protocol, hostname, port } = new URL(publicUrl);
  const server = {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    ...(port === '' ? {} : { 'server.port': Number(port) }),
  };

  const begin = (request: FastifyRequest, reply: FastifyReply): TraceSpan => {
    const { route, method, id } = request;
    const pattern = route.url ?? '';
    const now = performance.now();
    return tracer.begin({
      name: `${method} ${pattern}`,
      kind: 'server',
      caller: callersTrace(request),
      agoMs: now - (reply.underWay?.begunAt ?? now),
      attributes: {
        ...server,
        'http.request.method': method,
        'http.route': pattern,
        'url.path': pattern.replace(VARIABLE, 'REDACTED'),
        'patchbay.request_id': id,
      },
    });
  };

  const endWith = ({ raw }: FastifyReply, span: TraceSpan): void => {
    // A response of the proxy already has as many listeners as Node expects.
    raw.setMaxListeners(raw.getMaxListeners() + 1).once('close', () => {
      const { statusCode: status, headersSent } = raw;
      if (!headersSent) span.fail('caller_gone');
      else {
        span.set({ 'http.response.status_code': status });
        if (status >= LEAST_FAILURE) span.fail(String(status));
      }
      span.end();
    });
  };

  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.route.access === 'anyone') {
      done();
      return;
    }
    const span = begin(request, reply);
    endWith(reply, span);
    workFor({ ...currentWork(), tracer: span }, done);
  };
};
