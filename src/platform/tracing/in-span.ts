import { OutboundFailed } from '../outbound/outbound-failed.ts';
import { Refusal } from '../refusal.ts';
import { currentWork, workFor } from '../turns/owner.ts';
import type { Attributes, SpanStart, Tracer, TraceSpan } from './span.ts';

/** A code of the system, of TLS, or of a library, such as `ECONNREFUSED`. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Names a failure without its message, which may contain anything. */
const nameFailure = (error: unknown): string => {
  if (error instanceof OutboundFailed) return error.reason;
  if (error instanceof Refusal) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' && CODE.test(error.code)
    ? error.code
    : error.constructor.name;
};

const runAs = async <Result>(span: TraceSpan, work: (span: TraceSpan) => Promise<Result>): Promise<Result> => {
  try {
    return await workFor({ ...currentWork(), tracer: span }, () => work(span));
  } catch (error) {
    span.fail(nameFailure(error));
    throw error;
  } finally {
    span.end();
  }
};

/** Does work as a span of the current work. If no spans are exported, only does the work. */
export const inSpan = <Result>(
  describe: () => SpanStart,
  work: (span: TraceSpan | null) => Promise<Result>,
  tracer: Tracer | null | undefined = currentWork().tracer,
): Promise<Result> => (tracer ? runAs(tracer.begin(describe()), work) : work(null));

/** Adds attributes to the span of the current work, if there is one. */
export const noteInSpan = (attributes: Attributes): void => currentWork().tracer?.set(attributes);
