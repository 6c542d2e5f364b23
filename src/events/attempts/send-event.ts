import { Readable } from 'node:stream';
import { type HeaderList, OutboundFailed, type OutboundReason, type Secret } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import { signEvent } from '../endpoints/endpoint.ts';
import type { EventView } from '../log/event-view.ts';
import type { SendAttempt } from './attempt.ts';
import { parseRetryAfter } from './retry.ts';

/** A receiver must respond within this time. */
const PATIENCE_MS = 15_000;
/** How much of the response body is read, and for how long, before the connection is closed. */
const MOST_BYTES = 64 * 1024;
const DRAIN_MS = 2_000;

/** The endpoint's URL, and the secrets to sign with. */
type Destination = { id: string; url: Secret; secrets: readonly Secret[] };

const REASONS: Partial<Record<OutboundReason, string>> = {
  bad_url: 'The URL is not allowed: it must start with https.',
  refused_address: 'The host does not have a public address.',
  aborted: 'No response within 15 seconds.',
  paused: 'The service is paused.',
  timeout: 'No response within 15 seconds.',
};

const describeFailure = (error: unknown): string => {
  if (!(error instanceof OutboundFailed)) throw error;
  const code = /\(([A-Z0-9_]+)\)\.$/.exec(error.message)?.[1];
  return REASONS[error.reason] ?? `The connection failed${code ? ` (${code})` : ''}.`;
};

const describeStatus = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver redirected (${status}). Redirects are not followed.`;
  return `The receiver responded with ${status}.`;
};

const headerIn = (headers: HeaderList, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

/**
 * Reads the rest of the response, so that the connection can be reused. Resolves when the body ends, is too long, or
 * takes too long.
 */
const drain = (body: Buffer | Readable): Promise<void> | void => {
  if (!(body instanceof Readable)) return;
  let bytes = 0;
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) body.destroy();
  });
  return new Promise((resolve) => body.once('close', resolve));
};

/**
 * Sends an event, signed according to Standard Webhooks. Resolves when the status of the response is known, which
 * decides whether the event was accepted. The body may still be arriving until `onClosed` is called.
 */
export const sendEvent = (
  { forwarder, clock }: Pick<EventsContext, 'forwarder' | 'clock'>,
  { id: owner, url, secrets }: Destination,
  event: EventView,
  onClosed: () => void = () => undefined,
): Promise<SendAttempt> =>
  new Promise((resolve, reject) => {
    const at = clock.now();
    const since = performance.now();
    const body = JSON.stringify(event);
    const target = new URL(url.reveal());
    const headers: HeaderList = Object.entries({
      'content-type': 'application/json',
      'user-agent': 'Patchbay',
      ...signEvent(secrets, { id: event.id, at, body }),
    });
    const limit = new AbortController();
    let timer = setTimeout(() => limit.abort(), PATIENCE_MS);
    const end = (status: number | null, error: string | null, retryAfter?: string): void =>
      resolve({
        ...{ at, status, error, durationMs: Math.round(performance.now() - since) },
        retryAfterMs: parseRetryAfter(retryAfter, at),
      });
    const onResponse = (status: number, list: HeaderList): void => {
      end(status, describeStatus(status), headerIn(list, 'retry-after'));
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), DRAIN_MS);
    };
    forwarder
      .forward({
        ...{ owner, headers, body: Buffer.from(body), method: 'POST', trusted: false, onResponse },
        ...{ origin: target, path: `${target.pathname}${target.search}`, signal: limit.signal },
      })
      .then(
        (response) => drain(response.body),
        (error) => end(null, describeFailure(error)),
      )
      .catch(reject)
      .finally(() => {
        clearTimeout(timer);
        onClosed();
      });
  });
