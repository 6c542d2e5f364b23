import { flushCompileCache } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import type { Value } from '../database.ts';
import { createSqliteStatements } from './sqlite-statements.ts';

export type ScanRequest = { id: number; text: string; values: readonly Value[] };
/** `rows` is JSON, which is the fastest format to read. */
export type ScanResult = { id: number; rows: string } | { id: number; error: string };

const statements = createSqliteStatements(new DatabaseSync(process.argv[2] ?? '', { readOnly: true, timeout: 1_000 }));

const scan = ({ id, text, values }: ScanRequest): ScanResult => {
  try {
    return { id, rows: JSON.stringify(statements.list(text, values)) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : 'The read failed.' };
  }
};

// Save compiled code now, because this process is usually killed, and then saves nothing.
flushCompileCache();
process.on('message', (request: ScanRequest) => process.send?.(scan(request)));
process.on('disconnect', () => process.exit());
// Ignores signals to the whole process group: while the service stops, it still waits for reads that have begun.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
