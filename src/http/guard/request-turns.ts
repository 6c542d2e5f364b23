import { createEventLoopTurns, createTurns, type EndTurn, type TurnLimits, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';

/** How much of each turn of the event loop goes to requests that waited. */
const SHARE_MS = 4;

/**
 * Limits how many requests of a team are in progress at once, and how many of one member. The place of one that has ended
 * is free only in a later turn of the event loop, in which teams take turns, too: so nobody waits for more than a few
 * requests of a team that sends hundreds, however quick each of them is.
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
