import { startChildServer } from '../child-server.ts';
import type { Line } from '../telephony/signed-calls.ts';

/** `directory` is on the disk of the database. Without a line, there are no calls. */
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
  /** Requests that got no response, or not a 200, once the service was up. */
  failed: number;
  /** How late the measuring process itself was, at most, which isn't the service's fault. */
  ownDelayMax: number;
};

const SCRIPT = new URL('./bystanders.child.ts', import.meta.url);
const TAKEN_WITHIN_MS = 90_000;

/** See `bystanders.child.ts`. Ready to start on command. */
export const startBystanders = async (plan: BystanderPlan, cleanUp: AsyncDisposableStack) => {
  const child = await startChildServer(SCRIPT, JSON.stringify(plan), cleanUp);
  return {
    /** May be called before the service is up: what is refused until then doesn't count. */
    begin: () => child.askFor<void>('begin'),
    /** What they have seen since the last call. */
    take: (): Promise<Waits> => child.askFor<Waits>('take', TAKEN_WITHIN_MS),
    end: child.end,
  };
};

export type Bystanders = Awaited<ReturnType<typeof startBystanders>>;
