import { startChildServer } from '../child-server.ts';
import type { Line } from '../telephony/signed-calls.ts';

/** `directory` must be on the same disk as the database. If `line` is null, no calls are sent. */
export type BystanderPlan = { url: string; line: Line | null; callsPerSecond: number; directory: string };

/** What the other clients have measured. Times are in milliseconds. `polls` and `failed` are counts. */
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
  /** How late the event loop of the measuring process was, at most. The service didn't cause this delay. */
  ownDelayMax: number;
};

const SCRIPT = new URL('./bystanders.child.ts', import.meta.url);
const TAKEN_WITHIN_MS = 90_000;

/** Starts the process of the other clients (`bystanders.child.ts`). They send nothing until `begin` is called. */
export const startBystanders = async (plan: BystanderPlan, cleanUp: AsyncDisposableStack) => {
  const child = await startChildServer(SCRIPT, JSON.stringify(plan), cleanUp);
  return {
    /** Can be called before the service is up: requests that it refuses until then aren't included in `failed`. */
    begin: () => child.askFor<void>('begin'),
    /** Returns what the clients have measured since the last call of `take`. */
    take: (): Promise<Waits> => child.askFor<Waits>('take', TAKEN_WITHIN_MS),
    end: child.end,
  };
};

export type Bystanders = Awaited<ReturnType<typeof startBystanders>>;
