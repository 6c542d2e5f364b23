import type { Connection } from '../connections/connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { addUsage, type Usage } from './usage-store.ts';

const HOUR_MS = 3_600_000;
const WRITE_MS = 5_000;
/** How many rows are written in one transaction. */
const TOGETHER = 200;

export const hourOf = (instant: number): number => Math.floor(instant / HOUR_MS);

/** A finished request. `failed`: it got no response, or a response with an error status. */
type Use = { failed: boolean; bytes: number; tokenId: string | null };

/**
 * Counts how much connections are used. It counts in memory and writes to the database every few seconds, so that
 * requests don't need a query each. A crash loses the last few seconds.
 */
export const createUsageMeter = ({
  database,
  clock,
  log,
  forgetStatus,
}: Pick<IntegrationsContext, 'database' | 'clock' | 'log' | 'forgetStatus'>) => {
  let counted = new Map<string, Usage>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    const rows = [...counted.values()];
    counted = new Map();
    for (let at = 0; at < rows.length; at += TOGETHER) {
      const some = rows.slice(at, at + TOGETHER);
      await database
        .transaction((tx) => addUsage(tx, some))
        .catch((err) => log.warn({ err }, 'the use of connections was not added up'));
    }
    for (const teamId of new Set(rows.map((row) => row.teamId))) forgetStatus(teamId);
  };

  /** Starts a write after the previous one has ended, so that they don't overlap. */
  const writeNext = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  const writeSoon = (): void => {
    timer ??= setTimeout(writeNext, WRITE_MS).unref();
  };

  return {
    count({ teamId, id: connectionId }: Pick<Connection, 'teamId' | 'id'>, { failed, bytes, tokenId }: Use): void {
      const usedAt = clock.now();
      const hour = hourOf(usedAt);
      const key = `${connectionId} ${tokenId} ${hour}`;
      const none = { requests: 0, failures: 0, bytes: 0 };
      const known = counted.get(key) ?? { teamId, connectionId, tokenId, hour, ...none, usedAt };
      known.requests++;
      known.failures += failed ? 1 : 0;
      known.bytes += bytes;
      known.usedAt = usedAt;
      counted.set(key, known);
      writeSoon();
    },
    /** Writes what was counted so far. */
    flush: writeNext,
    async close(): Promise<void> {
      clearTimeout(timer);
      await writeNext();
    },
  };
};

export type UsageMeter = ReturnType<typeof createUsageMeter>;
