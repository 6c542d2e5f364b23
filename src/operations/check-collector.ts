import { parseCollectorHeaders } from '../platform/index.ts';
import type { DoctorContext } from './doctor-checks.ts';
import { type Finding, ok, PATIENCE_MS, trouble } from './finding.ts';

const MOST_RESPONSE_BYTES = 100_000;
const REFUSED = [401, 403];

/** Sends the collector a request without spans, which is an empty body. */
export const checkCollector = async ({
  ownOutbound,
  collector,
}: Pick<DoctorContext, 'ownOutbound' | 'collector'>): Promise<Finding[]> => {
  if (!collector) return [];
  const headers = parseCollectorHeaders(collector.headers?.reveal() ?? '') ?? {};
  const { status } = await ownOutbound.request({
    url: collector.url,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-protobuf' },
    body: '',
    trusted: true,
    timeoutMs: PATIENCE_MS,
    mostBytes: MOST_RESPONSE_BYTES,
  });
  if (status < 300) return [ok('collector', 'The collector accepts spans.')];
  const advice = REFUSED.includes(status)
    ? 'Check OTEL_EXPORTER_OTLP_HEADERS.'
    : 'Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector.';
  return [trouble('collector', `The collector responds with ${status}, so spans are lost. ${advice}`)];
};
