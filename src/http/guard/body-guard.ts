import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { createSlots } from '../../platform/index.ts';
import { LIMITS } from '../contract/limits.ts';
import { whoseWork } from '../contract/whose-work.ts';
import { bodyTooLarge, lengthRequired, tooManyBodies } from '../errors.ts';

/** How many large bodies of a team are received at a time. The others stay on the wire. */
const AT_ONCE = 8;
/** What all large bodies may take while they are received. Callers and webhooks don't take it from each other. */
const MOST_BYTES = 64 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** For a large body: what it took is free again. */
    releaseBody: (() => void) | null;
  }
}

/** Infinite if it isn't known beforehand. */
const lengthOf = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;

const isStranger = ({ route: { access }, caller }: FastifyRequest): boolean =>
  access === 'anyone' || (access === 'anyone_or_caller' && caller === null);

const isRead = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * Limits what bodies may take, before they are read. Strangers may only send small ones, and must say how long they
 * are. Small ones aren't counted: they take no more than their connection does.
 */
export const createBodyGuard = () => {
  const slots = createSlots(AT_ONCE);
  const held = { callers: 0, webhooks: 0 };

  const hold = (request: FastifyRequest, bytes: number, freeSlot?: () => void): void => {
    const whose = request.route.access === 'signed' ? 'webhooks' : 'callers';
    if (held[whose] + bytes > MOST_BYTES) {
      freeSlot?.();
      throw tooManyBodies();
    }
    held[whose] += bytes;
    request.releaseBody = () => {
      request.releaseBody = null;
      held[whose] -= bytes;
      freeSlot?.();
    };
  };

  /** False if the client is gone. */
  const waitAndHold = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<boolean> => {
    // Webhooks wait for a slot of their address before they get here.
    const freeSlot = request.route.access === 'signed' ? undefined : await slots.take(whoseWork(request));
    if (reply.raw.closed) {
      freeSlot?.();
      return false;
    }
    hold(request, bytes, freeSlot);
    reply.raw.once('close', () => request.releaseBody?.());
    return true;
  };

  return {
    preParsing(
      request: FastifyRequest,
      reply: FastifyReply,
      payload: RequestPayload,
      done: (error?: Error | null, payload?: RequestPayload) => void,
    ): void {
      const length = lengthOf(request);
      const isKnown = Number.isFinite(length);
      const most = request.route.access === 'signed' ? LIMITS.webhookBytes : LIMITS.jsonBytes;
      if (length <= LIMITS.smallBytes || !isRead(request)) done(null, payload);
      else if (isStranger(request)) done(isKnown ? bodyTooLarge() : lengthRequired());
      // The parser refuses it without reading it.
      else if (isKnown && length > most) done(null, payload);
      else waitAndHold(request, reply, Math.min(length, most)).then((goesOn) => goesOn && done(null, payload), done);
    },
    /** Once the body has been read and parsed. */
    preValidation(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
      request.releaseBody?.();
      done();
    },
  };
};
