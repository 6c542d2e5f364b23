import type { Readable } from 'node:stream';

type StreamOwner = { teamId: string; userId: string };

/** Limits how many streams can be open at once, per person and per team. */
export const createOpenStreams = (most: { perUser: number; perTeam: number }, refuse: () => Error) => {
  const open = new Map<Readable, StreamOwner>();

  const checkLimits = ({ teamId, userId }: StreamOwner): void => {
    const ofTeam = [...open.values()].filter((owner) => owner.teamId === teamId);
    const ofUser = ofTeam.filter((owner) => owner.userId === userId);
    if (ofTeam.length >= most.perTeam || ofUser.length >= most.perUser) throw refuse();
  };

  return {
    /** Throws without starting a stream if a limit is reached. */
    add<Stream extends Readable>(owner: StreamOwner, begin: () => Stream): Stream {
      checkLimits(owner);
      const stream = begin();
      open.set(stream, owner);
      stream.once('close', () => open.delete(stream));
      return stream;
    },
    has: (stream: Readable): boolean => open.has(stream),
    endAll(): void {
      for (const stream of open.keys()) stream.push(null);
      open.clear();
    },
  };
};
