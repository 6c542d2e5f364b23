import { readOpenFileLimit } from '../files/read-open-file-limit.ts';
import { whenAborted } from '../running/when-aborted.ts';
import { currentWork, isOwnWork } from '../turns/owner.ts';
import { createTurns } from '../turns/turns.ts';

export type OutboundLimits = { perOwner: number; inTotal: number };

/** The most open requests per owner. Fewer if the process may open few files, because each connection is a file. */
const MOST_PER_OWNER = 32;

const limitByFiles = (): OutboundLimits => {
  const inTotal = Math.floor(readOpenFileLimit() / 4);
  return { inTotal, perOwner: Math.min(MOST_PER_OWNER, Math.ceil(inTotal / 8)) };
};

/**
 * Limits how many requests are open at once, for each owner and in total. So if a provider of one team doesn't respond,
 * other teams aren't delayed. The service's own requests aren't limited here: the number of jobs that run at once is
 * limited already, and they must not wait for teams.
 */
export const createOutboundTurns = ({ perOwner, inTotal }: OutboundLimits = limitByFiles()) => {
  const turns = createTurns({ atOnce: inTotal, perOwner });

  const take = async (signal: AbortSignal): Promise<void> => {
    const end = await turns.take(currentWork(), () => signal.aborted);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  };

  /** Resolves when the request may start. It occupies a slot until the signal aborts. Rejects if it aborts before. */
  return async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (!isOwnWork()) await Promise.race([take(signal), whenAborted(signal)]);
  };
};
