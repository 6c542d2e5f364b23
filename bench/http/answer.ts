import type { Ready } from '../child-server.ts';

/** Name and value after one another, as `writeHead` takes them. */
export type Answer = { headers: string[]; body: string; keepAliveMs: number };

/** What `node:http` adds by itself. */
const ADDED = /^(?:date|connection|keep-alive)$/;

export const fetchAnswer = async ({ url, headers }: Ready, keepAliveMs: number): Promise<Answer> => {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}.`);
  return {
    headers: [...response.headers].filter(([name]) => !ADDED.test(name)).flat(),
    body: await response.text(),
    keepAliveMs,
  };
};

/** How many bytes of headers and body a server sends: whatever changes from answer to answer keeps its length. */
export const countBytes = async ({ url, headers }: Ready): Promise<number> => {
  const response = await fetch(url, { headers });
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.byteLength(lines.join('') + (await response.text()));
};
