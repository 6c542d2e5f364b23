import { startChildServer } from '../child-server.ts';
import type { Line } from '../telephony/signed-calls.ts';

/** `directory` is on the disk of the database. Without a line nobody calls. */
export type BystanderPlan = { url: string; line: Line | null; callsPerSecond: number; directory: string };

/** In milliseconds, but for the counts. */
export type Waits = {
  polls: number;
  healthP999: number;
  healthMax: number;
  callP99: number;
  callMax: number;
  /** The longest write of 4 kB with fsync, on the same disk and at the same time. */
  syncMax: number;
  /** Requests that were not answered, or not with 200, once the service was up. */
  failed: number;
  /** How late the process that asks was itself, at most: what is not the service's fault. */
  ownDelayMax: number;
};

const SCRIPT = new URL('./bystanders.child.ts', import.meta.url);
const TAKEN_WITHIN_MS = 90_000;

/** See `bystanders.child.ts`. They are ready to begin, and wait to be told. */
export const startBystanders = async (plan: BystanderPlan, cleanUp: AsyncDisposableStack) => {
  const child = await startChildServer(SCRIPT, JSON.stringify(plan), cleanUp);
  return {
    /** May come before the service is there: what is refused until it is counts for nothing. */
    begin: () => child.askFor<void>('begin'),
    /** What they have seen since this was last asked. */
    take: (): Promise<Waits> => child.askFor<Waits>('take', TAKEN_WITHIN_MS),
    end: child.end,
  };
};

export type Bystanders = Awaited<ReturnType<typeof startBystanders>>;
