import type { FastifyReply } from 'fastify';
import { tookTooLong } from './errors.ts';

const CHECK_MS = 250;

/**
 * Answers for a handler that takes too long. One timer looks at the oldest requests under way; Fastify's own limit takes
 * a timer and an AbortController for each request, which cost more than our other hooks together.
 */
export const createTimeLimit = (limitMs: number) => {
  // In the order in which they came: the first that is young enough ends the look.
  const underWay = new Map<FastifyReply, number>();

  const timer = setInterval(() => {
    const before = performance.now() - limitMs;
    for (const [reply, begunAt] of underWay) {
      if (begunAt > before) return;
      underWay.delete(reply);
      // Whoever has gone away needs no answer.
      if (!reply.sent && !reply.raw.destroyed) reply.send(tookTooLong());
    }
  }, CHECK_MS);
  timer.unref();

  return {
    begin: (reply: FastifyReply): void => void underWay.set(reply, performance.now()),
    /** Answers how long it took. */
    end(reply: FastifyReply): number {
      const begunAt = underWay.get(reply) ?? performance.now() - limitMs;
      underWay.delete(reply);
      return performance.now() - begunAt;
    },
    stop: (): void => clearInterval(timer),
  };
};
