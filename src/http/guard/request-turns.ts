import { createEventLoopTurns, createTurns, type EndTurn, type TurnLimits, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';

/** How long requests that waited may run in each turn of the event loop. */
const SHARE_MS = 4;

/**
 * Limits how many requests of a team, and of each member, are in progress at once. When a request ends, its slot isn't
 * free at once: in each turn of the event loop, only a few slots are freed, and teams take turns. So if a team sends
 * hundreds of requests, others wait for only a few of them, however quick each is.
 */
export const createRequestTurns = (limits: TurnLimits) => {
  const turns = createTurns(limits);
  const eventLoop = createEventLoopTurns(SHARE_MS);

  return ({ teamId, userId }: Pick<Caller, 'teamId' | 'userId'>, isGone: () => boolean): EndTurn | Promise<EndTurn> => {
    const endLater = (end: EndTurn) => (): void => void workFor(teamId, eventLoop.wait).then(end);
    const turn = turns.take({ owner: teamId, member: userId }, isGone);
    return turn instanceof Promise ? turn.then(endLater) : endLater(turn);
  };
};
