import type { FastifyReply, FastifyRequest } from 'fastify';

/** The size up to which the system buffers a response at once, whether or not the client reads it. */
const SMALL_LENGTH = 16 * 1024;
/** After this time, the turn ends anyway. `endSlowReaders` limits how many bytes may wait for slow readers. */
const PATIENCE_MS = 2_000;

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;

/**
 * Ends the turn once the request has its response, so that the team may begin another request. A large response must
 * also have been sent. Otherwise, a client that reads nothing could have us build any number of large responses.
 */
export const endTurn = (request: FastifyRequest, { raw }: FastifyReply, payload: unknown): void => {
  const { endTurn: end } = request;
  if (!end) return;
  if (lengthOf(payload) <= SMALL_LENGTH) {
    end();
    return;
  }
  const timer = setTimeout(end, PATIENCE_MS).unref();
  raw.once('close', () => {
    clearTimeout(timer);
    end();
  });
};
