import { parentPort, workerData } from 'node:worker_threads';
import { type ReadInput, readMessage } from './read-message.ts';

/** Reads one large message. A buffer arrives here as plain bytes. */
const { message, ...input } = workerData as ReadInput;
parentPort?.postMessage(await readMessage({ ...input, message: { ...message, body: Buffer.from(message.body) } }));
