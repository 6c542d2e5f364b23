import type { Readable } from 'node:stream';
import { createTurns, type EndTurn } from '../../platform/index.ts';

type StreamOwner = { teamId: string; userId: string };

type MostStreams = { perUser: number; perTeam: number; inTotal?: number };

/**
 * Limits how many streams can be open at once, per person, per team and in total. A stream beyond a limit is refused;
 * it never waits.
 */
export const createOpenStreams = ({ perUser, perTeam, inTotal }: MostStreams, refuse: () => Error) => {
  const turns = createTurns({
    perMember: perUser,
    perOwner: perTeam,
    ...(inTotal !== undefined && { atOnce: inTotal }),
  });
  const open = new Set<Readable>();

  /** Throws if a limit is reached. */
  const takeTurn = ({ teamId, userId }: StreamOwner): EndTurn => {
    const end = turns.tryTake({ owner: teamId, member: userId });
    if (!end) throw refuse();
    return end;
  };

  const keep = <Stream extends Readable>(stream: Stream, end: EndTurn): Stream => {
    if (stream.closed) {
      end();
      return stream;
    }
    open.add(stream);
    stream.once('close', () => {
      open.delete(stream);
      end();
    });
    return stream;
  };

  return {
    /** Starts a stream. Throws without starting it if a limit is reached. */
    add<Stream extends Readable>(owner: StreamOwner, begin: () => Stream): Stream {
      const end = takeTurn(owner);
      try {
        return keep(begin(), end);
      } catch (error) {
        end();
        throw error;
      }
    },
    /** Starts a stream that takes a while to open. It's included in the limits from the start. */
    async addOpening<Stream extends Readable>(owner: StreamOwner, begin: () => Promise<Stream>): Promise<Stream> {
      const end = takeTurn(owner);
      try {
        return keep(await begin(), end);
      } catch (error) {
        end();
        throw error;
      }
    },
    has: (stream: Readable): boolean => open.has(stream),
    endAll(): void {
      for (const stream of open) stream.push(null);
      open.clear();
    },
  };
};
