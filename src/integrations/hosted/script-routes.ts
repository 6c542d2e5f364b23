import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Routes } from '../../http/index.ts';

const SCRIPT = readFileSync(new URL('./connect.js', import.meta.url));
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  etag: `W/"${hash('sha256', SCRIPT, 'base64url')}"`,
  'cache-control': 'public, max-age=300',
  vary: 'accept-encoding',
  // Every product's pages load it, and it's the same for everyone.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/** `/connect.js`: connecting accounts from a product's own page. */
export const scriptRoutes: Routes = (server) => {
  let compressed: Buffer | undefined;
  server.get(
    '/connect.js',
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    ({ headers }, reply) => {
      reply.headers(HEADERS);
      if (headers['if-none-match']?.includes(HEADERS.etag)) return reply.code(304).send();
      if (!/\bgzip\b/.test(String(headers['accept-encoding']))) return reply.send(SCRIPT);
      compressed ??= gzipSync(SCRIPT, { level: 9 });
      return reply.header('content-encoding', 'gzip').send(compressed);
    },
  );
};
