import type { SpanStart, TraceSpan } from '../tracing/span.ts';
import { hostOf } from './parse-url.ts';

const LEAST_ERROR = 400;

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port));

/**
 * Describes one request over the network, as OpenTelemetry's conventions for HTTP do. The path is left out, because a
 * token, a phone number or a person can be in it. `resends` counts the times that it was sent before.
 */
export const requestSpan =
  ({ method, url }: { method: string; url: URL }, resends: number) =>
  (): SpanStart => ({
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'url.full': `${url.origin}/REDACTED`,
      'server.address': hostOf(url),
      'server.port': portOf(url),
      ...(resends > 0 ? { 'http.request.resend_count': resends } : {}),
    },
  });

export const noteResponse = (span: TraceSpan | null, status: number): void => {
  span?.set({ 'http.response.status_code': status });
  if (status >= LEAST_ERROR) span?.fail(String(status));
};
