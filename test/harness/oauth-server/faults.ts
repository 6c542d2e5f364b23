import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, sendAnswer } from './gate.ts';

const answer =
  (status: number, type: string, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };

const json = (status: number, body: unknown, headers?: Record<string, string>): Fault =>
  answer(status, 'application/json', JSON.stringify(body), headers);

/** The server did what was requested, and only its response fails: a spent token is spent. */
export const afterWork =
  (fault: Fault): Fault =>
  async (exchange) => {
    await exchange.forward();
    await fault(exchange);
  };

export const serverError = json(500, { error: 'server_error', error_description: 'canary-of-the-provider' });
export const invalidGrant = json(400, { error: 'invalid_grant' });
export const invalidClient = json(401, { error: 'invalid_client' });
export const html = answer(200, 'text/html', '<!doctype html><h1>canary-of-the-provider</h1>');
export const invalidJson = answer(200, 'application/json', '{"access_token":"canary-of-the-provider","expires_');
export const errorWith200 = json(200, { error: 'internal_error', error_description: 'canary-of-the-provider' });
export const hugeBody = answer(
  200,
  'application/json',
  JSON.stringify({ access_token: 'canary-of-the-provider', padding: 'x'.repeat(1_100_000) }),
);

export const rateLimited = (retryAfterSeconds: number): Fault =>
  json(429, { error: 'slow_down' }, { 'retry-after': String(retryAfterSeconds) });

/** The connection is closed without a response. */
export const closed: Fault = ({ response }) => void response.destroy();

/** It never responds. */
export const silent: Fault = async ({ response }) => void (await once(response, 'close'));

export const slow =
  (ms: number): Fault =>
  async ({ forward, response }) => {
    const ready = await forward();
    await sleep(ms);
    sendAnswer(response, ready);
  };

/** A valid response that doesn't say when its token expires. */
export const missingExpiresIn: Fault = async ({ forward, response }) => {
  const { status, headers, body } = await forward();
  const { expires_in: _, ...rest } = JSON.parse(body.toString());
  const { 'content-length': __, ...others } = headers;
  sendAnswer(response, { status, headers: others, body: Buffer.from(JSON.stringify(rest)) });
};
