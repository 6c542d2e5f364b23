// Peers side by side, in turns: `npm run bench`, or `npm run bench -- <name>…` for some of them. See docs/benchmarks.md.
// The exit code is 0 only where every goal was measured and met.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Result } from './benchmark.ts';
import { postgresqlGroupCommit } from './group-commit/postgresql.bench.ts';
import { sqliteGroupCommit } from './group-commit/sqlite.bench.ts';
import { httpRoute } from './http/http.bench.ts';
import { describeMachine } from './machine.ts';
import { isMet, renderResult } from './render-result.ts';
import { startAndMemory } from './start/start.bench.ts';

const LONGEST_MS = 120_000;

const benchmarks: readonly Benchmark[] = [httpRoute, sqliteGroupCommit, postgresqlGroupCommit, startAndMemory];

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark "${unknown[0]}": ${benchmarks.map(({ name }) => name).join(', ')}.\n`);
  process.exit(2);
}

const interrupted = Promise.withResolvers<never>();
interrupted.promise.catch(() => undefined);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupted.reject(new Error(`Stopped by ${signal}.`)));

const giveUp = async (): Promise<never> => {
  await sleep(LONGEST_MS, undefined, { ref: false });
  throw new Error(`Not done within ${LONGEST_MS / 1_000} s.`);
};

const runOne = async ({ run }: Benchmark): Promise<Result[]> => {
  await using cleanUp = new AsyncDisposableStack();
  const tools = { cleanUp, note: (line: string) => print(`  (${line})`) };
  return await Promise.race([run(tools), giveUp(), interrupted.promise]);
};

const results: Result[] = [];
print(describeMachine());
for (const benchmark of benchmarks.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  print(`\n${benchmark.name}: ${benchmark.about}`);
  const found = await runOne(benchmark);
  for (const line of found.flatMap(renderResult)) print(line);
  results.push(...found);
}
process.exit(results.every(isMet) ? 0 : 1);
