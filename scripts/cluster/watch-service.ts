import { setTimeout as sleep } from 'node:timers/promises';
import { SECRETS } from '../../test/harness/app.ts';

const EVERY_MS = 200;
const TIMEOUT_MS = 2_000;

const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}`, 'content-type': 'application/json' };

/** Writes to the database through HAProxy. Each write has a team of its own, so none waits for another. */
const write = async (port: number, attempt: number): Promise<boolean> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/api/operator/teams/watched-${attempt}`, {
      method: 'PUT',
      headers: OPERATOR,
      body: JSON.stringify({ name: `Watched ${attempt}` }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
};

/**
 * Tries a write again and again. Several attempts may be in progress, so one that hangs doesn't hide that others work.
 */
export const watchService = (port: number) => {
  const worked: number[] = [];
  let tried = 0;
  let stopped = false;
  const attempt = async (): Promise<void> => {
    if (await write(port, ++tried)) worked.push(performance.now());
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      void attempt();
      await sleep(EVERY_MS);
    }
  };
  const running = run();
  return {
    /** The longest gap between two successful writes. Only counts gaps that end between `from` and `until`. */
    longestGapMs(from: number, until: number): number {
      const times = [...worked.sort((left, right) => left - right).filter((at) => at <= until), until];
      const gaps = times.map((at, index) => ({ at, ms: at - (times[index - 1] ?? at) }));
      return Math.round(Math.max(0, ...gaps.filter(({ at }) => at >= from).map(({ ms }) => ms)));
    },
    async stop() {
      stopped = true;
      await running;
      return { tried, worked: worked.length };
    },
  };
};
