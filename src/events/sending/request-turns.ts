import { createTurns, type EndTurn, type Turns } from '../../platform/index.ts';
import { LIMITS } from '../limits.ts';

/** The turn of one request. */
export type RequestTurn = {
  /** Makes room for others, because the receiver takes long. Does nothing if too many requests already did. */
  stepAside(): void;
  end(): void;
};

/** Takes one of the team's turns and one of all teams' turns. Null if either isn't free. */
const tryBoth = (ofTeams: Turns, ofAll: Turns, owner: string): EndTurn | null => {
  const endOfTeam = ofTeams.tryTake({ owner });
  if (!endOfTeam) return null;
  const endOfAll = ofAll.tryTake({ owner });
  if (!endOfAll) endOfTeam();
  return (
    endOfAll &&
    (() => {
      endOfAll();
      endOfTeam();
    })
  );
};

/**
 * Limits how many requests are made at once, per team and in total. A request that takes long steps aside. Even if many
 * receivers stop responding at once, others soon get their turn.
 */
export const createEndpointTurns = () => {
  const ofTeams = createTurns(LIMITS.requests);
  const asideOfTeams = createTurns(LIMITS.requestsAside);
  const steady = { all: createTurns(LIMITS.steady), aside: createTurns(LIMITS.steadyAside) };
  const troubled = { all: createTurns(LIMITS.troubled), aside: createTurns(LIMITS.troubledAside) };

  return async (owner: string, isSteady: boolean): Promise<RequestTurn> => {
    const { all, aside } = isSteady ? steady : troubled;
    const endOfTeam = await ofTeams.take({ owner });
    const endOfAll = await all.take({ owner });
    const endBoth = (): void => {
      endOfAll();
      endOfTeam();
    };
    let endAside: EndTurn | null = null;
    return {
      stepAside() {
        endAside ??= tryBoth(asideOfTeams, aside, owner);
        if (endAside) endBoth();
      },
      end() {
        endBoth();
        endAside?.();
      },
    };
  };
};
