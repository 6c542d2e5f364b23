import { text } from 'node:stream/consumers';

/** Reads standard input, for a secret that the list of processes must not show. */
export const readInput = async (): Promise<string> => (await text(process.stdin)).trim();
