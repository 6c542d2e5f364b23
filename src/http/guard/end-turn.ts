import type { FastifyReply, FastifyRequest } from 'fastify';

/** The system takes about this much off our hands at once, whether or not anyone reads it. */
const SMALL_LENGTH = 16 * 1024;
/** By then, the reader counts as slow, and all slow readers together may only hold so much. */
const PATIENCE_MS = 2_000;

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;

/**
 * The team may begin another request once this one has its response. A large one must also have been sent: so nobody
 * can have more of them built than a few, by reading none.
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
