import type { Readable } from 'node:stream';

export type StreamOwner = { teamId: string; userId: string };

/** Streams that are under way: so many for each person, and so many for each team. */
export const createOpenStreams = (most: { perUser: number; perTeam: number }, refuse: () => Error) => {
  const open = new Map<Readable, StreamOwner>();

  const checkLimits = ({ teamId, userId }: StreamOwner): void => {
    const ofTeam = [...open.values()].filter((owner) => owner.teamId === teamId);
    const ofUser = ofTeam.filter((owner) => owner.userId === userId);
    if (ofTeam.length >= most.perTeam || ofUser.length >= most.perUser) throw refuse();
  };

  return {
    /** Throws, and begins none, where there are as many as there may be. */
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
