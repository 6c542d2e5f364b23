import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from './simulated-provider.ts';

/** The provider does what was requested, and responds later. */
export type Delay = { delayMs: number } | { until: Promise<unknown> };

export type Fault =
  | 'server_error'
  | 'html'
  | 'no_answer'
  | 'huge_body'
  | 'invalid_grant'
  | 'invalid_client'
  | 'error_with_200'
  | 'malformed_json'
  | Delay
  | { retryAfterSeconds: number }
  /** What a provider is known to say, word for word. */
  | { status: number; answer: unknown };

export type FaultPlan = {
  provider: string;
  kind: Kind;
  fault: Fault;
  left: number;
  /** The provider does what was requested, and only its response fails: a spent refresh token stays spent. */
  afterWork: boolean;
};

export const nameOf = (fault: Fault): string => (typeof fault === 'string' ? fault : JSON.stringify(fault));

export const isDelay = (fault: Fault): fault is Delay =>
  typeof fault === 'object' && ('delayMs' in fault || 'until' in fault);

export const waitOut = (delay: Delay, signal: AbortSignal): Promise<unknown> =>
  'until' in delay ? delay.until : sleep(delay.delayMs, undefined, { signal });

/** Uses up one turn of the first plan for such a request. */
export const takeFault = (plans: readonly FaultPlan[], provider: string, kind: Kind): FaultPlan | null => {
  const plan = plans.find((one) => one.provider === provider && one.kind === kind && one.left > 0);
  if (plan) plan.left--;
  return plan ?? null;
};

const HUGE_BYTES = 64 * 1_024 * 1_024;

const sendHuge = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(64 * 1_024, ' ');
  let left = HUGE_BYTES;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end('{}');
  };
  more();
};

const json = (status: number, body: unknown) => ({ status, type: 'application/json', body: JSON.stringify(body) });

const WRONG = {
  server_error: json(500, { error: 'server_error' }),
  html: { status: 200, type: 'text/html', body: '<!doctype html><title>Sorry</title><h1>We will be back</h1>' },
  invalid_grant: json(400, { error: 'invalid_grant' }),
  invalid_client: json(401, { error: 'invalid_client' }),
  error_with_200: json(200, { ok: false, error: 'internal_error' }),
  malformed_json: { status: 200, type: 'application/json', body: '{"access_token":"half of an ans' },
} as const;

/** The status that the fault stands for; 0 if there is none. A delay doesn't have one. */
export const statusOf = (fault: Exclude<Fault, Delay>): number => {
  if (typeof fault === 'object') return 'status' in fault ? fault.status : 429;
  if (fault === 'no_answer') return 0;
  return fault === 'huge_body' ? 200 : WRONG[fault].status;
};

export const sendFault = (response: ServerResponse, fault: Exclude<Fault, Delay>): void => {
  if (fault === 'no_answer') {
    response.destroy();
    return;
  }
  if (typeof fault === 'object' && 'status' in fault) {
    const isText = typeof fault.answer === 'string';
    response.writeHead(fault.status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? fault.answer : JSON.stringify(fault.answer));
    return;
  }
  if (typeof fault === 'object') {
    response.writeHead(429, { 'retry-after': String(fault.retryAfterSeconds), 'content-type': 'application/json' });
    response.end('{"error":"slow_down"}');
    return;
  }
  if (fault === 'huge_body') {
    response.writeHead(200, { 'content-type': 'application/json' });
    sendHuge(response);
    return;
  }
  const { status, type, body } = WRONG[fault];
  response.writeHead(status, { 'content-type': type }).end(body);
};
