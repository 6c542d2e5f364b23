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
 * A file of ours that doesn't change while the service runs, compressed when it's first asked for. Pages themselves aren't: they have secrets,
 * such as a CSRF token, next to what someone else may have chosen.
 */
export const addAsset = (server: Server, { name, type, content }: Asset): void => {
  const plain = Buffer.from(content);
  let compressed: Buffer | undefined;
  server.get(
    `/assets/${name}`,
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    ({ headers }, reply) => {
      reply.headers({ 'cache-control': 'public, max-age=300', vary: 'accept-encoding' }).type(`${type}; charset=utf-8`);
      if (!ACCEPTS_GZIP.test(headers['accept-encoding'] ?? '')) return reply.send(plain);
      compressed ??= gzipSync(plain, { level: 9 });
      return reply.header('content-encoding', 'gzip').send(compressed);
    },
  );
};
