import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * For between two pieces of work that block the event loop: requests that arrived meanwhile come first. It takes two
 * turns, because the first may still be that of the message that brought the work.
 */
export const giveWay = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};
