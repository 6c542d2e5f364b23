import type { Ready } from '../child-server.ts';

/** A response. `headers` has names and values alternately, as `writeHead` takes them. */
export type Answer = { status: number; headers: string[]; body: string; keepAliveMs: number };

/** Headers that `node:http` adds by itself. */
const ADDED = /^(?:date|connection|keep-alive)$/;

const ask = ({ url, headers, method = 'GET' }: Ready): Promise<Response> =>
  fetch(url, { headers, method, redirect: 'manual' });

export const fetchAnswer = async (ready: Ready, keepAliveMs: number): Promise<Answer> => {
  const response = await ask(ready);
  if (response.status >= 400) throw new Error(`${ready.url} answers ${response.status}.`);
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !ADDED.test(name)).flat(),
    body: await response.text(),
    keepAliveMs,
  };
};

/** How many bytes of headers and body a server sends. Each response has the same length, even if the date differs. */
export const countBytes = async (ready: Ready): Promise<number> => {
  const response = await ask(ready);
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.byteLength(lines.join('') + (await response.text()));
};
