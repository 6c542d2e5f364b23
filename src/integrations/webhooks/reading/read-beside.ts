import { Worker } from 'node:worker_threads';
import type { ReadInput, Reading } from './read-message.ts';

/** A thread that needs more ends, and the message is refused. */
const MEMORY = { maxOldGenerationSizeMb: 1_024 };
const SCRIPT = new URL('./read-message.thread.ts', import.meta.url);

/** Reads a large message in a thread of its own, because parsing 25 MiB would hold up everybody else. */
export const readBeside = (input: ReadInput): Promise<Reading> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(SCRIPT, { workerData: input, execArgv: [], env: {}, resourceLimits: MEMORY });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread ended without a result.')));
  });
