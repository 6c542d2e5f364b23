import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { createTurns } from '../../platform/index.ts';
import { LIMITS } from '../contract/limits.ts';
import { whoseWork } from '../contract/whose-work.ts';
import { bodyTooLarge, lengthRequired, tooManyBodies } from '../errors.ts';
import { strangerKey } from './stranger-key.ts';
import { createTallyByOwner } from './tally-by-owner.ts';

/** How many large bodies of a caller are received at a time. The others aren't read from the connection yet. */
const AT_ONCE = 8;
/** How many bytes all large bodies of callers may have while they are received. Webhooks have the same limit again. */
const MOST_BYTES = 64 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back the memory and the turn that were reserved for a large body. Null if nothing is reserved. */
    releaseBody: (() => void) | null;
  }
}

/** The length of the body. Infinite for a chunked body, whose length isn't announced. */
const lengthOf = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;

const isStranger = ({ route: { access }, caller }: FastifyRequest): boolean =>
  access === 'anyone' || (access === 'anyone_or_caller' && caller === null);

const isRead = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD';

type Receiving = { reply: FastifyReply; whose: string; bytes: number };

/**
 * Counts large bodies that are being received, and their bytes. If another body needs the space, an incomplete one is
 * refused: the oldest body of the owner who has the most. So nobody can keep others out with bodies that never end.
 */
const createStock = () => {
  const bodies = new Set<Receiving>();
  const incomplete = createTallyByOwner<Receiving>();
  let held = 0;

  const remove = (body: Receiving): void => {
    incomplete.remove(body);
    if (bodies.delete(body)) held -= body.bytes;
  };

  const pickIncomplete = (): Receiving | undefined => incomplete.find(({ reply }) => !reply.request.raw.complete);

  return {
    /**
     * Adds a body, and returns a function that removes it. Throws if there is no room, because all other bodies are
     * complete and waiting to be parsed.
     */
    add(body: Receiving): () => void {
      while (held + body.bytes > MOST_BYTES) {
        const picked = pickIncomplete();
        if (!picked) throw tooManyBodies();
        remove(picked);
        // Close the connection, because the bytes that have arrived are held for as long as it's open.
        picked.reply.header('connection', 'close').send(tooManyBodies());
      }
      bodies.add(body);
      incomplete.add(body);
      body.reply.request.raw.once('end', () => incomplete.remove(body));
      held += body.bytes;
      return () => remove(body);
    },
  };
};

/**
 * Limits how much memory bodies take, before they are read. Strangers may only send small bodies, and must announce
 * their length. Small bodies aren't counted, because they take no more memory than their connection does.
 */
export const createBodyGuard = () => {
  const turns = createTurns({ perOwner: AT_ONCE });
  const callers = createStock();
  const webhooks = createStock();

  const hold = (request: FastifyRequest, reply: FastifyReply, bytes: number): (() => void) =>
    request.route.access === 'signed'
      ? webhooks.add({ reply, bytes, whose: strangerKey(request.ip) })
      : callers.add({ reply, bytes, whose: whoseWork(request) });

  /** Waits in the queue, and reserves the memory for a body. False if the client has left. */
  const waitAndHold = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<boolean> => {
    // Webhooks have already waited in the queue of their IP address.
    const endTurn =
      request.route.access === 'signed'
        ? undefined
        : await turns.take({ owner: request.caller?.userId ?? whoseWork(request) });
    if (reply.raw.closed) {
      endTurn?.();
      return false;
    }
    let remove: (() => void) | undefined;
    request.releaseBody = () => {
      request.releaseBody = null;
      remove?.();
      endTurn?.();
    };
    reply.raw.once('close', () => request.releaseBody?.());
    remove = hold(request, reply, bytes);
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
      if (length <= LIMITS.smallBytes || !isRead(request) || request.route.passesBody) done(null, payload);
      else if (isStranger(request)) done(isKnown ? bodyTooLarge() : lengthRequired());
      // The parser refuses a body that is too long without reading it.
      else if (isKnown && length > most) done(null, payload);
      else waitAndHold(request, reply, Math.min(length, most)).then((goesOn) => goesOn && done(null, payload), done);
    },
    /** Runs once the body has been read and parsed. */
    preValidation(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
      request.releaseBody?.();
      done();
    },
  };
};
