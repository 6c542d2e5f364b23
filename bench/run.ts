// Runs the benchmarks: `npm run bench`, or `npm run bench -- <name>…` for some of them. See docs/benchmarks.md.
// `--small` runs the large ones at a small size. The exit code is 0 only if every goal was measured and met.

import { agents } from './agents/agents.bench.ts';
import { backupPostgresql, backupSqlite } from './backup/backup.bench.ts';
import type { Benchmark, Result } from './benchmark.ts';
import { containmentPostgresql, containmentSqlite } from './containment/containment.bench.ts';
import { eventsPostgresql, eventsSqlite } from './events/events.bench.ts';
import { recordingPostgresql, recordingSqlite } from './events/recording.bench.ts';
import { postgresqlGroupCommit } from './group-commit/postgresql.bench.ts';
import { sqliteGroupCommit } from './group-commit/sqlite.bench.ts';
import { httpRoute } from './http/http.bench.ts';
import { connectRedirect, statusAnswer, tokenHandOut } from './integrations/integrations.bench.ts';
import { refreshSweep } from './integrations/sweep.bench.ts';
import { jobsPostgresql, jobsSqlite } from './jobs/jobs.bench.ts';
import { describeMachine } from './machine.ts';
import { operator } from './operator/operator.bench.ts';
import { pagesPostgresql, pagesSqlite } from './pages/pages.bench.ts';
import { paint } from './pages/paint.bench.ts';
import { isSmall, readNames } from './pick-size.ts';
import { proxy } from './proxy/proxy.bench.ts';
import { isMet, renderResult } from './render-result.ts';
import { reportsPostgresql, reportsSqlite } from './reports/reports.bench.ts';
import { requestsPostgresql, requestsSqlite } from './requests/requests.bench.ts';
import { scalePostgresql, scaleSqlite } from './scale/scale.bench.ts';
import { startAndMemory } from './start/start.bench.ts';
import { backlogPostgresql, backlogSqlite } from './telephony/backlog.bench.ts';
import { sustainedPostgresql, sustainedSqlite } from './telephony/sustained.bench.ts';
import { telephonyPostgresql, telephonySqlite } from './telephony/telephony.bench.ts';
import { waitsPostgresql, waitsSqlite } from './waits/waits.bench.ts';
import { webhooksPostgresql, webhooksSqlite } from './webhooks/webhooks.bench.ts';

const LONGEST_MS = 600_000;

const benchmarks: readonly Benchmark[] = [
  httpRoute,
  sqliteGroupCommit,
  postgresqlGroupCommit,
  connectRedirect,
  statusAnswer,
  tokenHandOut,
  refreshSweep,
  operator,
  proxy,
  agents,
  eventsSqlite,
  eventsPostgresql,
  recordingSqlite,
  recordingPostgresql,
  telephonySqlite,
  telephonyPostgresql,
  webhooksSqlite,
  webhooksPostgresql,
  sustainedSqlite,
  sustainedPostgresql,
  backlogSqlite,
  backlogPostgresql,
  jobsSqlite,
  jobsPostgresql,
  waitsSqlite,
  waitsPostgresql,
  backupSqlite,
  backupPostgresql,
  reportsSqlite,
  reportsPostgresql,
  pagesSqlite,
  pagesPostgresql,
  paint,
  scaleSqlite,
  scalePostgresql,
  requestsSqlite,
  requestsPostgresql,
  containmentSqlite,
  containmentPostgresql,
  startAndMemory,
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const stop = (line: string, exitCode: number): never => {
  process.stderr.write(`${line}\n`);
  process.exit(exitCode);
};

const asked = readNames();
const unknown = asked.find((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown !== undefined)
  stop(`There is no benchmark "${unknown}": ${benchmarks.map(({ name }) => name).join(', ')}.`, 2);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

/** Runs a benchmark. If it's interrupted, it stops after the current measurement and cleans up what it started. */
const runOne = async ({ run, longestMs = LONGEST_MS }: Benchmark): Promise<Result[]> => {
  await using cleanUp = new AsyncDisposableStack();
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(longestMs)]);
  return await run({ cleanUp, signal, note: (line) => print(`  (${line})`) });
};

const runAll = async (): Promise<Result[]> => {
  const results: Result[] = [];
  for (const benchmark of benchmarks.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
    print(`\n${benchmark.name}: ${benchmark.about}`);
    const found = await runOne(benchmark);
    for (const line of found.flatMap(renderResult)) print(line);
    results.push(...found);
  }
  return results;
};

print(describeMachine());
if (isSmall) print('SMALL: only to see that it works, the numbers mean nothing');
try {
  const results = await runAll();
  process.exit(results.every(isMet) ? 0 : 1);
} catch (error) {
  if (interrupted.signal.aborted) stop('Stopped.', 1);
  throw error;
}
