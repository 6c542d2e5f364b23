import { createTurns, stepAside, type TurnLimits, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';

/**
 * Limits how many operations of one kind are in progress at once, for a team and for each member, including while they
 * wait for a provider. The work is done to the end once it has begun, even if its caller has left.
 */
export const createCallerTurns = (limits: TurnLimits) => {
  const turns = createTurns(limits);
  return <Result>({ teamId, userId }: Pick<Caller, 'teamId' | 'userId'>, work: () => Promise<Result>) => {
    stepAside();
    return turns.run({ owner: teamId, member: userId }, () => workFor(teamId, work));
  };
};
