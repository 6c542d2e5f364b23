import { within } from '../platform/index.ts';
import { attemptJob, type BoundHandler, CutShort } from './attempt-job.ts';
import type { JobsContext } from './context.ts';
import type { FreeQueue, JobEngine, TakenJob } from './job-engine.ts';
import { createLoop } from './loop.ts';
import { settleJob } from './settle-job.ts';

const GIVE_BACK_MS = 2_000;

/**
 * Takes as many jobs as each queue may run at once, and runs them.
 *
 * working → draining (`stop`: takes no more jobs, waits for running ones) → giving back (after the drain time, jobs
 * that are still running are aborted and released, and the attempt doesn't count) → stopped.
 */
export const createWorker = (
  { log, pollMs, pause, onFinished }: JobsContext,
  engine: JobEngine,
  handlers: ReadonlyMap<string, BoundHandler>,
) => {
  const atWork = new Map<TakenJob, { controller: AbortController; finished: Promise<void> }>();
  const givingUp = new AbortController();
  let [draining, givingBack] = [false, false];
  let begun = false;

  const giveBack = (controller: AbortController): void =>
    controller.abort(new CutShort('givenBack', 'The process is stopping.'));

  const work = async (handler: BoundHandler, job: TakenJob, controller: AbortController): Promise<void> => {
    const startedAt = performance.now();
    const verdict = await attemptJob(handler, job, controller);
    const outcome = await settleJob({ engine, log, givingUp: givingUp.signal }, handler.definition, job, verdict);
    atWork.delete(job);
    taking.wake();
    onFinished?.(job.name, outcome, performance.now() - startedAt);
  };

  const startWork = (handler: BoundHandler, job: TakenJob): void => {
    const controller = new AbortController();
    if (givingBack) giveBack(controller);
    atWork.set(job, { controller, finished: work(handler, job, controller) });
  };

  const freeQueues = (isPaused: boolean): FreeQueue[] =>
    [...handlers.values()]
      .filter(({ definition }) => definition.runsWhilePaused || !isPaused)
      .map(({ definition: { name, concurrency } }) => ({
        name,
        room: concurrency - [...atWork.keys()].filter((job) => job.name === name).length,
      }))
      .filter(({ room }) => room > 0);

  const takeJobs = async (): Promise<void> => {
    if (!begun) await engine.begin();
    begun = true;
    // If there is more upkeep to do, take jobs first, and continue the upkeep right after that.
    if (await engine.upkeep()) taking.wake();
    const free = freeQueues((await pause?.read()) != null);
    if (draining || free.length === 0) return;
    for await (const job of engine.take(free)) {
      const handler = handlers.get(job.name);
      if (handler) startWork(handler, job);
    }
  };

  const beat = async (): Promise<void> => {
    for (const job of (await engine.heartbeat?.touch([...atWork.keys()])) ?? []) {
      atWork.get(job)?.controller.abort(new CutShort('lost', 'Another process may have taken the job.'));
    }
  };

  const taking = createLoop(log, 'Taking jobs', takeJobs, pollMs);
  const beating = engine.heartbeat && createLoop(log, 'Renewing heartbeats', beat, engine.heartbeat.everyMs);

  const allFinished = async (): Promise<void> => {
    await taking.stop();
    await Promise.all([...atWork.values()].map(({ finished }) => finished));
  };

  return {
    start(): void {
      taking.start();
      beating?.start();
    },
    wake: taking.wake,
    /** Stops within `drainMs` plus two seconds. */
    async stop(drainMs: number): Promise<void> {
      draining = true;
      await within(drainMs, allFinished());
      givingBack = true;
      for (const { controller } of atWork.values()) giveBack(controller);
      await within(GIVE_BACK_MS, Promise.all([allFinished(), beating?.stop()]));
      givingUp.abort();
    },
  };
};
