import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createTableEngine } from '../../src/jobs/engine/table-engine.ts';
import { type Engine, openDatabase, systemClock, type Transaction } from '../../src/platform/index.ts';
import { createTestStore } from '../harness/databases.ts';
import { openTestJobs, type TestJobs } from '../harness/jobs.ts';
import { awaitWord, holdOnce, killProcess, type StartedProcess, startProcess } from '../harness/jobs-process.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A process may take long to start when many tests run at once. */
const START_MS = 30_000;

const openStage = async (engine: Engine, context: TestContext) => {
  const store = await createTestStore(engine);
  const processes: StartedProcess[] = [];
  const opened: TestJobs[] = [];
  context.after(async () => {
    await Promise.all(processes.map((started) => started.end('SIGKILL')));
    await Promise.all(opened.map((jobs) => jobs.close()));
    await store.remove();
  });
  return {
    startWorker(): StartedProcess {
      const worker = startProcess('worker', store.settings);
      processes.push(worker);
      return worker;
    },
    look(): TestJobs {
      const jobs = openTestJobs(store);
      opened.push(jobs);
      return jobs;
    },
    /** As if the process of the running job, which was killed, had been silent for long enough. */
    async endHeartbeats(): Promise<void> {
      if (engine === 'sqlite') return;
      const database = openDatabase(store.settings, () => undefined);
      await database.run("update jobs set heartbeat_at = heartbeat_at - 10000 where state = 'active'");
      await database.close();
    },
    /** Leaves nothing open. */
    async enqueue(add: (jobs: TestJobs, tx: Transaction) => Promise<unknown>): Promise<void> {
      const jobs = openTestJobs(store);
      await jobs.database.transaction((tx) => add(jobs, tx));
      await jobs.close();
    },
  };
};

describe('a process that ends while a job is running', { concurrency: 3 }, () => {
  test('a long-running job is left to the process that has it (postgresql)', async (context) => {
    const { startWorker, enqueue, look } = await openStage('postgresql', context);
    await enqueue((jobs, tx) => jobs.enqueue(tx, awaitWord, { word: 'go' }));
    const workers = [startWorker(), startWorker()];
    const told = () => workers.flatMap(({ lines }) => lines);
    await waitUntil('the job is at work', () => told().length > 0, START_MS, workers[0]);
    const { database } = look();
    const waitForTwo = (what: string, sql: string): Promise<void> => {
      const seen = new Set<string>();
      return waitUntil(what, async () => seen.add(JSON.stringify(await database.all(sql))).size > 2);
    };
    await waitForTwo('two heartbeats', 'select heartbeat_at from jobs');
    await createTableEngine({ database, clock: systemClock }).heartbeat?.touch([]);
    for (const worker of workers) worker.tell('go');
    await waitUntil('the job is done', () => told().length > 1);
    assert.deepEqual(told(), ['begin go 1', 'end go 1']);
  });

  for (const engine of ['postgresql', 'sqlite'] as const) {
    test(`after kill -9 another process runs the job again, once it has been silent for ten seconds (${engine})`, async (context) => {
      const { startWorker, look, enqueue, endHeartbeats } = await openStage(engine, context);
      await enqueue((jobs, tx) => jobs.enqueue(tx, holdOnce, {}));
      const first = startWorker();
      await waitUntil('the job is at work', () => first.lines.includes('hold 1'), START_MS, first);
      await first.end('SIGKILL');
      await endHeartbeats();
      const second = startWorker();
      await waitUntil('the job runs again', () => second.lines.includes('hold 2'), 30_000, second);
      const jobs = look();
      await waitUntil('the job is done', async () => {
        const { queued, active, failed } = await jobs.count();
        return queued + active + failed === 0;
      });
    });

    test(`a job that kills its process each time ends among the dead, its attempts used up (${engine})`, async (context) => {
      const { startWorker, look, enqueue, endHeartbeats } = await openStage(engine, context);
      await enqueue((jobs, tx) => jobs.enqueue(tx, killProcess, {}));
      const jobs = look();
      let worker = startWorker();
      let killed = 0;
      const isDead = async () => {
        if (!worker.isRunning()) {
          killed++;
          await endHeartbeats();
          worker = startWorker();
        }
        return (await jobs.count()).failed === 1;
      };
      await waitUntil('the job is dead', isDead, 60_000);
      const [dead] = await jobs.listDead(1);
      assert.equal(dead?.attempts, 2);
      assert.equal(dead?.lastError, 'The process ended while the job was running.');
      assert.equal(killed, 2);
    });

    test(`SIGTERM lets the running job finish, and the process exits by itself (${engine})`, async (context) => {
      const { startWorker, look, enqueue } = await openStage(engine, context);
      await enqueue((jobs, tx) => jobs.enqueue(tx, awaitWord, { word: 'go' }));
      const worker = startWorker();
      await waitUntil('the job is at work', () => worker.lines.includes('begin go 1'), START_MS, worker);
      const ended = worker.end('SIGTERM');
      await waitUntil('it is about to stop', () => worker.lines.includes('stopping'));
      worker.tell('go');
      await ended;
      assert.equal(worker.exitCode(), 0);
      assert.deepEqual(worker.lines, ['begin go 1', 'stopping', 'end go 1', 'stopped']);
      assert.equal((await look().count()).active, 0);
    });
  }
});
