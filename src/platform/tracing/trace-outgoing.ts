import type { Forwarder } from '../outbound/forwarder.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { currentWork, workFor } from '../turns/owner.ts';
import type { Tracing } from './tracing.ts';

/*
 * Makes each outgoing request a span. A request that belongs to no traced work, such as one that tells a receiver about
 * an event, has a trace of its own.
 */

const withTracer = <Result>({ tracer }: Tracing, send: () => Result): Result => {
  const work = currentWork();
  return !tracer || work.tracer ? send() : workFor({ ...work, tracer }, send);
};

export const traceOutbound = (outbound: Outbound, tracing: Tracing): Outbound => ({
  request: (request) => withTracer(tracing, () => outbound.request(request)),
  open: (request) => withTracer(tracing, () => outbound.open(request)),
});

export const traceForwarder = (forwarder: Forwarder, tracing: Tracing): Forwarder => ({
  forward: (request) => withTracer(tracing, () => forwarder.forward(request)),
  close: forwarder.close,
});
