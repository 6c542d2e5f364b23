import { readOpenFileLimit } from '../files/read-open-file-limit.ts';
import { createSharedSlots } from '../running/shared-slots.ts';
import { createSlots } from '../running/slots.ts';
import { whenAborted } from '../running/when-aborted.ts';
import { currentWork, isOwnWork } from '../running/work-for.ts';

export type OutboundLimits = { perOwner: number; inTotal: number };

/** Each request holds a connection, which is an open file. An owner gets an eighth of them, and never more than this. */
const MOST_PER_OWNER = 32;

const limitByFiles = (): OutboundLimits => {
  const inTotal = Math.floor(readOpenFileLimit() / 4);
  return { perOwner: Math.min(MOST_PER_OWNER, Math.ceil(inTotal / 8)), inTotal };
};

/**
 * Limits how many requests are open at once, for each owner and in total, so that one team's provider that doesn't
 * respond delays nobody else. The service's own requests take no slots: how many jobs run at once is limited already,
 * and they must not wait for teams.
 */
export const createOutboundSlots = ({ perOwner, inTotal }: OutboundLimits = limitByFiles()) => {
  const ofOwner = createSlots(perOwner);
  const all = createSharedSlots(inTotal);

  const take = async (signal: AbortSignal): Promise<void> => {
    const leave = await ofOwner.take(currentWork().owner);
    if (signal.aborted) return leave();
    await all.take();
    const release = () => {
      all.release();
      leave();
    };
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
  };

  /** Resolves once there is a slot, which is held until the signal aborts. Rejects if it does so before. */
  return async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (!isOwnWork()) await Promise.race([take(signal), whenAborted(signal)]);
  };
};
