import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import { parseCollectorHeaders } from './collector-headers.ts';
import type { SpanStart, Tracer, TraceSpan } from './span.ts';
import { watchExports } from './watch-exports.ts';

export type Collector = {
  /** Where spans are sent. */
  url: string;
  /** What it wants besides, such as a key. */
  headers: Secret | null;
  serviceName: string;
};

/** How long the collector has for a batch, with all attempts. */
const EXPORT_MS = 5_000;
/** The exporter's limit restarts with every byte of a response. This one doesn't. */
const GIVE_UP_MS = EXPORT_MS + 1_000;
/** Spans that wait beyond `maxQueueSize` are dropped, so a collector that is away takes a few megabytes at most. */
const BATCHES = { scheduledDelayMillis: 1_000, maxExportBatchSize: 512, maxQueueSize: 2_048 };
/** All that wait are sent together at the end, beside one that may be under way. */
const BATCHES_AT_ONCE = BATCHES.maxQueueSize / BATCHES.maxExportBatchSize + 1;
const SPAN_LIMITS = { attributeCountLimit: 32, attributeValueLengthLimit: 500 };

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

const contextOf = ({ caller }: SpanStart): Context => {
  if (!caller) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = caller;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
};

const toSpan = (
  span: OtelSpan,
  parent: Context,
  begin: (start: SpanStart, parent: Context) => TraceSpan,
): TraceSpan => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
    begin: (start) => begin(start, trace.setSpan(parent, span)),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (failure) => void span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
};

/** Begins spans with OpenTelemetry's SDK, and exports them in batches. Nothing waits for an export. */
export const createOtlpTracer = ({ url, headers, serviceName }: Collector, log: Log) => {
  const exporter = new OTLPTraceExporter({
    url,
    headers: parseCollectorHeaders(headers?.reveal() ?? '') ?? {},
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: BATCHES_AT_ONCE,
  });
  const batches = { ...BATCHES, exporter: watchExports(exporter, log), exportTimeoutMillis: GIVE_UP_MS };
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanLimits: SPAN_LIMITS,
    spanProcessors: [new BatchSpanProcessor(batches)],
  });
  const otel = provider.getTracer('patchbay');

  const begin = ({ name, kind, attributes, agoMs }: SpanStart, parent: Context): TraceSpan => {
    const startTime = agoMs === undefined ? {} : { startTime: Date.now() - agoMs };
    return toSpan(otel.startSpan(name, { kind: KINDS[kind], attributes, ...startTime }, parent), parent, begin);
  };

  const tracer: Tracer = {
    context: null,
    begin: (start) => begin(start, contextOf(start)),
    set: () => undefined,
  };
  return { tracer, shutdown: (): Promise<void> => provider.shutdown() };
};

export type OtlpTracer = ReturnType<typeof createOtlpTracer>;
