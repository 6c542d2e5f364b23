import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Asked = { url: string; headers: Record<string, string>; body?: string; agent?: Agent };

/** Sends a request, and reads the whole response. Throws unless it's a success, for a tool, too, or came too fast. */
export const ask = async ({ url, headers, body, agent }: Asked): Promise<{ ms: number; tooFast: boolean }> => {
  const begun = performance.now();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...length },
    ...(agent && { agent }),
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const ms = performance.now() - begun;
  if (response.statusCode === 429) return { ms, tooFast: true };
  if (response.statusCode !== 200 || answer.includes('"isError":true'))
    throw new Error(`The service answered with ${response.statusCode}: ${answer.slice(0, 500)}`);
  return { ms, tooFast: false };
};

/** A request of an agent, as most clients send it. */
export const callOf = (token: string, method: string, params: object = {}): Omit<Asked, 'url'> => ({
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});

/** The same request as through the proxy. */
export const readSmall = { name: 'call_api', arguments: { provider: 'acme', path: '/small' } };
