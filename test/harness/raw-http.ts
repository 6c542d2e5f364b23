import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Server } from '../../src/http/index.ts';
import type { Answer } from './problem.ts';
import { startStopwatch } from './start-stopwatch.ts';

const HEAD_END = '\r\n\r\n';

const parseHead = (head: string): { status: number; headers: Record<string, string> } => {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0), headers: Object.fromEntries(headers) };
};

/** One response from the front of what arrived, or null while it's incomplete. Patchbay never chunks a refusal. */
const takeAnswer = (bytes: Buffer, toHead: boolean): { answer: Answer; rest: Buffer } | null => {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const { status, headers } = parseHead(bytes.subarray(0, end).toString('latin1'));
  const from = end + HEAD_END.length;
  const length = status === 204 || status < 200 || toHead ? 0 : Number(headers['content-length'] ?? Number.NaN);
  const to = Number.isNaN(length) ? bytes.length : from + length;
  if (bytes.length < to) return null;
  return { answer: { status, headers, body: bytes.subarray(from, to).toString('utf8') }, rest: bytes.subarray(to) };
};

const parseAnswers = (bytes: Buffer, toHead: boolean): Answer[] => {
  const answers: Answer[] = [];
  for (let next = takeAnswer(bytes, toHead); next; next = takeAnswer(next.rest, toHead)) {
    if (next.answer.status >= 200) answers.push(next.answer);
  }
  return answers;
};

/**
 * Sends exactly these bytes and returns everything that comes back until the server closes. It hangs up politely after
 * the first response; a server that then stays silent for too long is a failure.
 */
export const exchangeBytes = async (port: number, sent: Buffer | string, withinMs = 8_000): Promise<Answer[]> => {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const toHead = Buffer.from(sent).subarray(0, 5).toString() === 'HEAD ';
  let hungUp = false;
  const readMs = startStopwatch();
  const endIfLate = (): unknown => readMs() > withinMs && socket.destroy(new Error('late'));
  const watch = setInterval(endIfLate, 100);
  const failed = { late: false };
  // A server that has seen enough may close while we're still sending: what it sent before counts.
  socket.on('error', (error) => {
    failed.late = error.message === 'late';
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (hungUp || parseAnswers(Buffer.concat(chunks), toHead).length === 0) return;
    hungUp = true;
    socket.end();
  });
  socket.on('end', () => socket.end());
  socket.write(sent);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(watch);
  if (failed.late) throw new Error(`The server neither closed nor went on within ${withinMs} ms.`);
  return parseAnswers(Buffer.concat(chunks), toHead);
};

export const listenOnLoopback = async (server: Server): Promise<number> => {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
};

type Sent = { method?: string; headers?: readonly (readonly [string, string])[]; body?: Buffer | string };

/** A request as bytes. Only the length of the body is added. */
export const printRequest = (target: string, { method = 'GET', headers = [], body }: Sent = {}): Buffer => {
  const content = body === undefined ? null : Buffer.from(body);
  const all = [...headers, ...(content ? [['Content-Length', String(content.length)] as const] : [])];
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content ?? Buffer.alloc(0)]);
};
