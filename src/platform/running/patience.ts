import { within } from './within.ts';

/** How long to wait for a slot, and the error after that. */
export type Patience = { ms: number; giveUp(): Error };

/** In line for a slot. Whoever gave up is passed over. */
export type Waiting = { resolve(): void; gaveUp: boolean };

/** Resolves when its turn comes. Without patience, it waits for as long as that takes. */
export const waitPatiently = (patience: Patience | null, lineUp: (waiting: Waiting) => void): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting: Waiting = { gaveUp: false, resolve };
  lineUp(waiting);
  if (!patience) return promise;
  const onLate = (): never => {
    waiting.gaveUp = true;
    throw patience.giveUp();
  };
  return within(patience.ms, promise, { onLate });
};

/** The next one who still waits. */
export const nextWaiting = (shift: () => Waiting | undefined): Waiting | undefined => {
  let next = shift();
  while (next?.gaveUp) next = shift();
  return next;
};
