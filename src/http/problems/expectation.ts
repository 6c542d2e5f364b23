import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { Refusal } from '../../platform/index.ts';
import { PROBLEM_TYPE, problemBody } from './problem.ts';

const unmet = (): Refusal =>
  new Refusal(417, 'http.expectation_failed', 'The only supported "Expect" value is "100-continue".');

/** An unsupported `Expect`, which Node would refuse without saying why. */
export const refuseExpectations = (server: Server, headers: Record<string, string>): void => {
  server.on('checkExpectation', (_request, response) => {
    const requestId = randomUUID();
    const body = problemBody(unmet(), requestId);
    response.writeHead(417, {
      ...headers,
      'x-request-id': requestId,
      'content-type': PROBLEM_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
};
