import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, createEventLoopTurns, createRateLimit, createTurns, type Refusal } from '../../platform/index.ts';
import { LIMITS } from '../contract/limits.ts';
import { rateLimited } from '../errors.ts';
import { strangerKey } from './stranger-key.ts';

/** How many refused webhooks an IP address may send before it's limited. */
export const REFUSALS_PER_MINUTE = 600;
/** How long webhooks that waited may run in each turn of the event loop. */
const SHARE_MS = { strangers: 4, others: 4 } as const;
/** How many large bodies are read at a time per IP address. Others aren't read from the connection yet. */
const BODIES_AT_ONCE = 4;
/** How many bytes of webhooks may wait at a time. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

const createBoundedTurns = (shareMs: number, tooBusy: () => Refusal) => {
  const turns = createEventLoopTurns(shareMs);
  let waitingBytes = 0;
  return {
    async wait(bytes: number): Promise<void> {
      if (waitingBytes + bytes > MOST_WAITING_BYTES) throw tooBusy();
      waitingBytes += bytes;
      await turns.wait();
      waitingBytes -= bytes;
    },
  };
};

type Weighed = {
  bytes: number;
  /** Whether the webhook is as small and simple as providers' webhooks usually are. */
  isLight: boolean;
  /** Whether the webhook has to wait even if it's light. */
  isSuspect?: boolean;
};

/**
 * Limits what a webhook may cost before we know whether it's signed.
 *
 * A valid webhook must never be refused because its IP address sends too many, since providers share IP addresses. So
 * every webhook is verified, but large and suspect ones wait in a queue, which gets a small share of each turn of the
 * event loop. Webhooks from an IP address with many refusals have a queue of their own, and must be small, which is
 * checked before the body is read.
 */
export const createStrangerGate = ({ clock, tooBusy }: { clock: Clock; tooBusy: () => Refusal }) => {
  const refusals = createRateLimit({ clock, perMinute: REFUSALS_PER_MINUTE });
  const bodies = createTurns({ perOwner: BODIES_AT_ONCE });
  const strangers = createBoundedTurns(SHARE_MS.strangers, tooBusy);
  const others = createBoundedTurns(SHARE_MS.others, tooBusy);

  const holdTurn = async (owner: string, { raw }: FastifyReply): Promise<void> => {
    const end = await bodies.take({ owner }, () => raw.closed);
    if (raw.closed) end();
    else raw.once('close', end);
  };

  return {
    /** Call this before the body is read. Null if it may be read right away. */
    beforeBody({ ip, headers }: FastifyRequest, reply: FastifyReply): Promise<void> | null {
      const length =
        headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
      if (length <= LIMITS.smallBytes) return null;
      const waitSeconds = refusals.look(strangerKey(ip));
      if (waitSeconds > 0) throw rateLimited(waitSeconds);
      return holdTurn(strangerKey(ip), reply);
    },
    /** Call this before the webhook is verified. Null if it may be verified right away. */
    beforeReading({ ip }: FastifyRequest, { bytes, isLight, isSuspect = false }: Weighed): Promise<void> | null {
      const waitSeconds = refusals.look(strangerKey(ip));
      if (waitSeconds > 0 && !isLight) throw rateLimited(waitSeconds);
      if (waitSeconds > 0) return strangers.wait(bytes);
      return isLight && !isSuspect ? null : others.wait(bytes);
    },
    /** Counts a refusal. Returns how many seconds the sender has to wait, or 0. */
    refused: ({ ip }: FastifyRequest): number => refusals.take(strangerKey(ip)),
    /** Takes back one counted refusal. */
    giveBack: ({ ip }: FastifyRequest): void => refusals.giveBack(strangerKey(ip)),
  };
};

/** Makes a hook that lets requests wait before their bodies are read. */
export const waitBeforeBody =
  (gate: Pick<ReturnType<typeof createStrangerGate>, 'beforeBody'>) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      const turn = gate.beforeBody(request, reply);
      if (turn) turn.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  };
