/** A place in a trace, as W3C Trace Context defines it. A caller names one in `traceparent`. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean };

const SHAPE = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Parses a `traceparent`. Null if it isn't valid. Later versions may append fields, which are ignored. */
export const parseTraceparent = (header: unknown): TraceContext | null => {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = SHAPE.exec(header) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
};

export const printTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
