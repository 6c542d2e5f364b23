import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimit } from '../../platform/index.ts';
import { rateLimited } from '../errors.ts';
import { asksForHtml, HTML_TYPE, refusalPage, renderPage } from '../pages/page.ts';
import type { ResponseHeaders } from '../pages/response-headers.ts';
import { PLACE_OF_ID, prepareText } from '../problems/prepare-text.ts';
import { PROBLEM_HEADERS, problemBody } from '../problems/problem.ts';
import { isWebhook, showsCredential } from './arrivals.ts';

type Refusing = {
  /** The rate limit for strangers. */
  limit: RateLimit;
  sessionCookie: string;
  returnOrigins: readonly string[];
  headers: ResponseHeaders;
  onResponse(route: string, method: string, status: string, ms: number): void;
};

/**
 * Refuses a stranger whose IP address has reached its rate limit, before Fastify gets the request. The access guard
 * would do the same later, but that takes much longer. Leaves out requests that the guard may treat differently:
 * webhooks, requests with a credential, and scripts from the listed origins.
 */
export const createEarlyRefusal = (refusing: Refusing) => {
  const { limit, sessionCookie, headers, onResponse } = refusing;
  const origins = new Set(refusing.returnOrigins);
  const refusal = rateLimited(1);
  const problem = prepareText(problemBody(refusal, PLACE_OF_ID));
  const page = prepareText(renderPage(refusalPage(refusal, PLACE_OF_ID)));

  const isLeftAlone = (request: IncomingMessage): boolean =>
    isWebhook(request) || showsCredential(request, sessionCookie) || origins.has(request.headers.origin ?? '');

  /** True if the request was refused and answered. */
  return (request: IncomingMessage, response: ServerResponse, sender: string): boolean => {
    const waitSeconds = isLeftAlone(request) ? 0 : limit.look(sender);
    if (waitSeconds === 0) return false;
    const requestId = randomUUID();
    const asPage = !request.url?.startsWith('/api/') && asksForHtml(request);
    const body = asPage ? page(requestId) : problem(requestId);
    response.writeHead(refusal.status, {
      ...(asPage ? headers.page : headers.api),
      'retry-after': String(waitSeconds),
      'x-request-id': requestId,
      ...(asPage ? { 'content-type': HTML_TYPE } : PROBLEM_HEADERS),
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    onResponse('unknown', request.method ?? '', String(refusal.status), 0);
    return true;
  };
};
