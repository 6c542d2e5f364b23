import type { Log } from '../log.ts';
import { withinOrNull } from '../running/within.ts';
import type { Collector, OtlpTracer } from './otlp-tracer.ts';
import type { Tracer } from './span.ts';

/** How long the last spans may take at shutdown. */
const CLOSE_MS = 1_000;

export type Tracing = {
  /** Null if nothing is exported. */
  readonly tracer: Tracer | null;
  /** Loads OpenTelemetry if there is a collector. Until then, there are no spans. */
  load(): Promise<Tracer | null>;
  /** Exports what waits, unless that takes too long. */
  close(): Promise<void>;
};

/** Exports spans to the collector. Without one, nothing of OpenTelemetry is loaded. */
export const createTracing = (collector: Collector | null, log: Log): Tracing => {
  let loaded: OtlpTracer | null = null;
  return {
    get tracer() {
      return loaded?.tracer ?? null;
    },
    async load() {
      if (!collector) return null;
      const { createOtlpTracer } = await import('./otlp-tracer.ts');
      loaded ??= createOtlpTracer(collector, log);
      return loaded.tracer;
    },
    async close() {
      if (loaded) await withinOrNull(CLOSE_MS, loaded.shutdown());
    },
  };
};
