import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
const VERSION_LENGTH = 16;
const compress = promisify(gzip);

/**
 * Serves content that doesn't change. It's compressed on the first request, and all readers share the result. `caching`
 * replaces the `cache-control` header. Set it if the content isn't public.
 */
export const createStaticFile = (type: string, content: Buffer, caching?: string) => {
  const version = hash('sha256', content, 'base64url').slice(0, VERSION_LENGTH);
  const etag = `W/"${version}"`;
  let compressed: Promise<Buffer> | undefined;
  return {
    /** Goes at the end of the file's URL, so that a browser keeps the file until it changes. */
    version: `?v=${version}`,
    async send({ url, headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const lasting = url.endsWith(`?v=${version}`) ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
      const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
      reply.headers({ 'content-type': type, 'cache-control': caching ?? lasting, vary, etag });
      if (headers['if-none-match']?.includes(etag)) return reply.code(304).send();
      if (!ACCEPTS_GZIP.test(headers['accept-encoding'] ?? '')) return reply.send(content);
      compressed ??= compress(content, { level: 9 });
      return reply.header('content-encoding', 'gzip').send(await compressed);
    },
  };
};

export type StaticFile = ReturnType<typeof createStaticFile>;
