import { createTurns, type EndTurn, type Turns } from '../../platform/index.ts';
import { LIMITS } from '../limits.ts';

/** The slots that a request takes up until it ends. */
export type RequestTurn = {
  /** Moves a slow request to its own limits, so that others can start. Does nothing if those limits are used up. */
  stepAside(): void;
  end(): void;
};

/** Takes one of the team's slots and one of the slots for all teams. Null if either has none free. */
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
 * Limits how many requests are made at once, per team and in total. A slow request gives up its slot and goes on under
 * separate limits. So even if many receivers stop responding at once, requests to others can soon start.
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
