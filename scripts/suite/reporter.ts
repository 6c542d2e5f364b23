// The reporter of a worker's test runner. It tells the run what passed and what failed.
import { relative } from 'node:path';
import { Transform } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import type { Failure, FileResult, FromWorker } from './messages.ts';

const MOST_LINES = 14;
const MOST_LINE_CHARACTERS = 300;

const tell = (message: FromWorker): void => void (process.connected && process.send?.(message));

const shorten = (text: string): string => {
  const lines = text.split('\n').map((line) => line.slice(0, MOST_LINE_CHARACTERS));
  return [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n');
};

const HERE = import.meta.dirname;

/** Finds the first of our own lines in the stack, which is usually the failed assertion. */
const findWhere = (stack: string): string | null => {
  for (const [, url = ''] of stack.matchAll(/\(?(file:\/\/\S+:\d+:\d+)\)?$/gm)) {
    const path = relative(process.cwd(), fileURLToPath(url));
    if (!path.startsWith('node_modules') && !path.startsWith(relative(process.cwd(), HERE))) return path;
  }
  return null;
};

const describeError = (error: Error | undefined): Pick<Failure, 'message' | 'where'> => {
  const cause = error?.cause instanceof Error ? error.cause : error;
  // `fetch failed` says nothing without its own cause.
  const because = cause !== error && cause?.cause instanceof Error ? ` (${cause.cause.message})` : '';
  const message = `${cause?.message ?? 'It failed without an error.'}${because}`;
  return { message: shorten(message), where: findWhere(cause?.stack ?? '') };
};

const NOTHING: FileResult = { path: '', passed: 0, failed: 0, skipped: 0, ms: 0 };
let result = NOTHING;
let names: string[] = [];

const isOfType = (error: Error, type: string): boolean => 'failureType' in error && error.failureType === type;

const report = ({ type, data }: TestEvent): void => {
  if (type === 'test:diagnostic' && data.nesting > 0) tell({ kind: 'note', text: data.message });
  if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') return;
  names = [...names.slice(0, data.nesting), data.name];
  if (type === 'test:start') return;
  const isSuite = data.details.type === 'suite';
  // A suite that failed only because its tests did isn't reported again. Neither is a test that never began because its
  // suite failed.
  const error =
    type === 'test:fail' && !isOfType(data.details.error, 'subtestsFailed') ? data.details.error : undefined;
  const isCanceled = error !== undefined && data.nesting > 0 && isOfType(error, 'cancelledByParent');
  if (error && !isCanceled) tell({ kind: 'failed', failure: { names, ...describeError(error) } });
  const outcome = error ? 'failed' : data.skip === undefined ? 'passed' : 'skipped';
  if (error || !isSuite) result = { ...result, [outcome]: result[outcome] + 1 };
  if (outcome === 'passed' && !isSuite) tell({ kind: 'passed', names, ms: data.details.duration_ms });
  if (data.nesting > 0) return;
  tell({ kind: 'done', result: { ...result, path: data.name, ms: data.details.duration_ms } });
  result = NOTHING;
};

export default new Transform({
  writableObjectMode: true,
  transform(event, _encoding, done) {
    report(event);
    done();
  },
});
