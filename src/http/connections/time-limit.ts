import type { FastifyReply } from 'fastify';
import { tookTooLong } from '../errors.ts';
import { createEndings } from './side-by-side.ts';

const CHECK_MS = 250;

/** A request in progress, linked with the ones that arrived before and after it. */
type Place = { reply: FastifyReply | null; begunAt: number; before: Place; after: Place };

declare module 'fastify' {
  interface FastifyReply {
    underWay: Place | null;
  }
}

const createRing = (): Place => {
  const ring = { reply: null, begunAt: Number.POSITIVE_INFINITY } as Place;
  ring.before = ring;
  ring.after = ring;
  return ring;
};

/** Takes a request out of the ring. Does nothing if it's out already. */
const takeOut = (place: Place): void => {
  const { before, after } = place;
  before.after = after;
  after.before = before;
  place.before = place;
  place.after = place;
};

/**
 * Responds for a handler that takes too long. One timer checks the oldest requests in progress. Fastify's own limit
 * uses a timer and an AbortController for each request, which cost more than our other hooks together. Requests are
 * kept in a ring in order of arrival, because a Map that every request adds to and deletes from is rebuilt often.
 * Thousands of requests may time out at the same moment, so only a few are ended in each turn of the event loop.
 */
export const createTimeLimit = (limitMs: number, endSoon = createEndings()) => {
  const ring = createRing();

  const giveUp = (reply: FastifyReply): void => {
    // If the client has left, it needs no response, but its turn must end, so that the team's next request can start.
    if (!reply.sent && !reply.raw.destroyed) reply.send(tookTooLong());
    else reply.request.endTurn?.();
  };

  const timer = setInterval(() => {
    const before = performance.now() - limitMs;
    for (let place = ring.after; place.reply && place.begunAt <= before; place = ring.after) {
      const { reply } = place;
      takeOut(place);
      // A request that another service decides about has no time limit here.
      if (reply.request.route?.passesBody || reply.request.route?.waits) continue;
      reply.underWay = null;
      endSoon(() => giveUp(reply));
    }
  }, CHECK_MS);
  timer.unref();

  return {
    begin(reply: FastifyReply): void {
      const place = { reply, begunAt: performance.now(), before: ring.before, after: ring };
      ring.before.after = place;
      ring.before = place;
      reply.underWay = place;
    },
    /** Returns how long the request took, in milliseconds. */
    end(reply: FastifyReply): number {
      const place = reply.underWay;
      if (!place) return limitMs;
      takeOut(place);
      reply.underWay = null;
      return performance.now() - place.begunAt;
    },
    stop: (): void => clearInterval(timer),
  };
};
