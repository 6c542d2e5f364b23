import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';

/** How often a collector that stays away is logged. */
const LOGGED_EVERY_MS = 600_000;

/**
 * The status or the code of a failure. Nothing else of it is used: the message may contain the address, and the
 * response may repeat the credentials.
 */
const codeOf = (error: Error): string | number | null =>
  'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null;

/** Logs when exports begin to fail, rarely while they go on failing, and when they work again. */
export const watchExports = (exporter: SpanExporter, log: Log): SpanExporter => {
  let lost = 0;
  let loggedAt: number | null = null;

  const noteFailure = (code: string | number | null): void => {
    const now = performance.now();
    if (loggedAt !== null && now - loggedAt < LOGGED_EVERY_MS) return;
    loggedAt = now;
    log.warn({ code, lost }, 'spans could not be exported; check the collector and OTEL_EXPORTER_OTLP_ENDPOINT');
  };

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) {
          lost += spans.length;
          noteFailure(codeOf(result.error));
        } else if (loggedAt !== null) {
          log.info({ lost }, 'spans are exported again');
          loggedAt = null;
          lost = 0;
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
};
