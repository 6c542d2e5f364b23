import type { Readable } from 'node:stream';

type StreamOwner = { teamId: string; userId: string };

type MostStreams = { perUser: number; perTeam: number; inTotal?: number };

/** Limits how many streams can be open at once, per person, per team and in total. */
export const createOpenStreams = (most: MostStreams, refuse: () => Error) => {
  const { perUser, perTeam, inTotal = Number.POSITIVE_INFINITY } = most;
  const open = new Map<Readable, StreamOwner>();
  const opening = new Set<StreamOwner>();

  const checkLimits = ({ teamId, userId }: StreamOwner): void => {
    const all = [...open.values(), ...opening];
    const ofTeam = all.filter((owner) => owner.teamId === teamId);
    const ofUser = ofTeam.filter((owner) => owner.userId === userId);
    if (all.length >= inTotal || ofTeam.length >= perTeam || ofUser.length >= perUser) throw refuse();
  };

  const keep = <Stream extends Readable>(owner: StreamOwner, stream: Stream): Stream => {
    if (stream.closed) return stream;
    open.set(stream, owner);
    stream.once('close', () => open.delete(stream));
    return stream;
  };

  return {
    /** Throws without starting a stream if a limit is reached. */
    add<Stream extends Readable>(owner: StreamOwner, begin: () => Stream): Stream {
      checkLimits(owner);
      return keep(owner, begin());
    },
    /** The same for a stream that isn't open right away. It counts from the start. */
    async addOpening<Stream extends Readable>(
      { teamId, userId }: StreamOwner,
      begin: () => Promise<Stream>,
    ): Promise<Stream> {
      const owner = { teamId, userId };
      checkLimits(owner);
      opening.add(owner);
      try {
        return keep(owner, await begin());
      } finally {
        opening.delete(owner);
      }
    },
    has: (stream: Readable): boolean => open.has(stream),
    endAll(): void {
      for (const stream of open.keys()) stream.push(null);
      open.clear();
    },
  };
};
