import { stepAside, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';
import { createRequestLine } from './request-line.ts';

type TurnLimits = Parameters<typeof createRequestLine>[0] & {
  mostWaitMs: number;
  /** For whoever finds too many waiting, or has waited too long. Nothing has happened yet. */
  refuse(): Error;
};

/**
 * Limits how much of one kind is in progress at once, for a team and for each member, including while it waits for a
 * provider. Whoever asked may be unknown, or gone: it is the team's work, and what has begun is done to the end.
 */
export const createCallerTurns = ({ mostWaitMs, refuse, ...sizes }: TurnLimits) => {
  const line = createRequestLine(sizes);

  const enter = (whose: Pick<Caller, 'teamId' | 'userId'>): Promise<void> =>
    new Promise((resolve, reject) => {
      let gaveUp = false;
      const timer = setTimeout(() => {
        gaveUp = true;
        reject(refuse());
      }, mostWaitMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (line.enter(whose, { begin, isGone: () => gaveUp })) return;
      clearTimeout(timer);
      reject(refuse());
    });

  return async <Result>(whose: Pick<Caller, 'teamId' | 'userId'>, work: () => Promise<Result>): Promise<Result> => {
    stepAside();
    await enter(whose);
    try {
      return await workFor(whose.teamId, work);
    } finally {
      line.leave(whose);
    }
  };
};
