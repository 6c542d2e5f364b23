import { gzipSync } from 'node:zlib';
import type { Server } from '../contract/routes.ts';

type Asset = {
  /** Below `/assets/`. */
  name: string;
  type: 'text/css' | 'text/javascript';
  content: string;
};

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/**
 * A file of ours that doesn't change while the service runs, compressed once. Pages themselves aren't: they have secrets,
 * such as a CSRF token, next to what someone else may have chosen.
 */
export const addAsset = (server: Server, { name, type, content }: Asset): void => {
  const plain = Buffer.from(content);
  const compressed = gzipSync(plain, { level: 9 });
  server.get(
    `/assets/${name}`,
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    ({ headers }, reply) => {
      reply.headers({ 'cache-control': 'public, max-age=300', vary: 'accept-encoding' }).type(`${type}; charset=utf-8`);
      return ACCEPTS_GZIP.test(headers['accept-encoding'] ?? '')
        ? reply.header('content-encoding', 'gzip').send(compressed)
        : reply.send(plain);
    },
  );
};
