import { DatabaseUnavailable, workFor } from '../../platform/index.ts';
import { type CallLogRow, getNextLog, listDueLogs } from '../people/log-store.ts';
import type { CrmsContext } from './context.ts';
import { logOneCall } from './log-one-call.ts';
import { endLogTurn, takeLogTurn } from './place-store.ts';

/** Longer than a step takes. After that, another process may go on. */
const TURN_MS = 60_000;

type Which = Pick<CallLogRow, 'teamId' | 'connectionId'>;

/** Logs the due calls of a connection, in order and one at a time, unless another process does. */
const logInTurn = async (context: CrmsContext, which: Which, isOver: () => boolean): Promise<void> => {
  const { database, clock } = context;
  let held = -1;
  const keepTurn = async (): Promise<boolean> => {
    const now = clock.now();
    // Unlike that of any other process, so that a turn that was lost isn't taken for this one.
    const until = Math.max(now + TURN_MS, held + 1);
    const taken = await takeLogTurn(database, which, { now, until, held });
    if (taken > 0) held = until;
    return taken > 0;
  };
  while (!isOver() && (await keepTurn())) {
    const next = await getNextLog(database, which, clock.now());
    if (!next || (await logOneCall(context, next)) === 'stop') break;
  }
  if (held >= 0) await endLogTurn(database, which, held);
};

/** Logs calls that are due, with all connections side by side. */
export const createLogging = (context: CrmsContext) => {
  const { database, clock, log } = context;
  const busy = new Map<string, Promise<void>>();
  let isClosed = false;

  return {
    /** Begins what is due, and isn't done already. */
    async work(): Promise<void> {
      for (const which of isClosed ? [] : await listDueLogs(database, clock.now())) {
        const { teamId, connectionId } = which;
        if (busy.has(connectionId)) continue;
        const work = workFor(teamId, () => logInTurn(context, which, () => isClosed))
          .catch((err) => {
            if (err instanceof DatabaseUnavailable) log.debug({ err }, 'calls wait to be logged');
            else log.warn({ err, teamId }, 'calls could not be logged');
          })
          .finally(() => busy.delete(connectionId));
        busy.set(connectionId, work);
      }
    },
    /** Resolves once everything that was begun has ended. */
    rest: async (): Promise<void> => void (await Promise.all(busy.values())),
    close(): void {
      isClosed = true;
    },
  };
};
