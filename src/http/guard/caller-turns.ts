import { createTurns, stepAside, type TurnLimits, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';

/**
 * Limits how much of one kind is in progress at once, for a team and for each member, including while it waits for a
 * provider. The work is the team's: once begun, it is done to the end, even if its caller is unknown or gone.
 */
export const createCallerTurns = (limits: TurnLimits) => {
  const turns = createTurns(limits);
  return <Result>({ teamId, userId }: Pick<Caller, 'teamId' | 'userId'>, work: () => Promise<Result>) => {
    stepAside();
    return turns.run({ owner: teamId, member: userId }, () => workFor(teamId, work));
  };
};
