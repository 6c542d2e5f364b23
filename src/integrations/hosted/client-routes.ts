import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Routes } from '../../http/index.ts';
import { packTarball } from '../../platform/index.ts';

const CLIENT = fileURLToPath(new URL('../../../packages/client/', import.meta.url));

/** Reads the files that `npm pack` takes, under the folder name that npm expects. */
const readPackage = (): Map<string, Buffer> => {
  const paths = globSync(['package.json', '*.md', '*.d.ts', 'LICENSE', 'dist/*'], { cwd: CLIENT }).sort();
  return new Map(paths.map((path) => [`package/${path.replaceAll('\\', '/')}`, readFileSync(join(CLIENT, path))]));
};

const makeTarball = () => {
  const content = packTarball(readPackage());
  return { content, etag: `"${hash('sha256', content, 'base64url')}"` };
};

/** Serves `/client.tgz`, the `@patchbay/client` that matches this version, for `npm install`. */
export const clientRoutes: Routes = (server) => {
  let made: ReturnType<typeof makeTarball> | undefined;
  server.get(
    '/client.tgz',
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    ({ headers }, reply) => {
      made ??= makeTarball();
      const { content, etag } = made;
      reply.headers({ 'content-type': 'application/gzip', etag, 'cache-control': 'public, max-age=300' });
      return headers['if-none-match']?.includes(etag) ? reply.code(304).send() : reply.send(content);
    },
  );
};
