import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Between two pieces of work that hold up the event loop: whoever has asked for something meanwhile is heard first.
 * The first turn may still be that of the message that brought the work; requests are looked for between the two.
 */
export const giveWay = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};
