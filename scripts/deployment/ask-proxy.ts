import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { HOST } from './start-proxy.ts';

/** The client's IP address. It differs from the proxy's, so that the two can be told apart. */
export const CLIENT_ADDRESS = '127.0.0.2';

type Asked = { method?: string; headers?: Readonly<Record<string, string>>; body?: string | Buffer };
export type Told = { status: number; headers: IncomingHttpHeaders; body: string };

const begin = (port: number, path: string, { method = 'GET', headers = {} }: Asked) =>
  request({
    host: '127.0.0.1',
    localAddress: CLIENT_ADDRESS,
    servername: HOST,
    rejectUnauthorized: false,
    agent: false,
    port,
    path,
    method,
    headers: { host: HOST, ...headers },
  });

/** Sends one request, as a client outside does. */
export const askProxy = (port: number, path: string, asked: Asked = {}): Promise<Told> =>
  new Promise((resolve, reject) => {
    const sent = begin(port, path, asked);
    sent.on('error', reject).on('response', (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => {
          body += text;
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.end(asked.body);
  });

/** Follows a stream. `heard` grows as text arrives. */
export const follow = (port: number, path: string, headers: Readonly<Record<string, string>>) => {
  const followed = { status: 0, heard: '', stop: () => void sent.destroy() };
  const sent = begin(port, path, { headers });
  sent
    .on('error', () => undefined)
    .on('response', (response) => {
      followed.status = response.statusCode ?? 0;
      response
        .setEncoding('utf8')
        .on('data', (text: string) => {
          followed.heard += text;
        })
        .on('error', () => undefined);
    });
  sent.end();
  return followed;
};
