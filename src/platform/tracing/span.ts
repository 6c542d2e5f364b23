import type { TraceContext } from './traceparent.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanStart = {
  name: string;
  kind: 'server' | 'client' | 'internal';
  attributes: Attributes;
  /** How many milliseconds ago it began. Default: it begins now. */
  agoMs?: number;
  /** The caller's place in a trace, for a span without a parent of ours. */
  caller?: TraceContext | null;
};

/** Begins spans: a span begins its children, and what isn't a span begins those without a parent. */
export type Tracer = {
  begin(start: SpanStart): TraceSpan;
  /** The place in its trace. Null for what isn't a span. */
  context: TraceContext | null;
  /** Adds attributes. Does nothing to what isn't a span. */
  set(attributes: Attributes): void;
};

/**
 * A piece of work that is exported when it ends. Names and attributes must never contain what a caller, a provider, or
 * a person chose, because that may be a secret or a phone number.
 */
export type TraceSpan = Tracer & {
  context: TraceContext;
  /** Marks the work as failed. `failure` is a name of ours for what went wrong, such as `timeout`, or a status. */
  fail(failure: string): void;
  end(): void;
};
