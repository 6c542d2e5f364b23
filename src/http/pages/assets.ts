import type { Server } from '../contract/routes.ts';
import { createStaticFile } from './static-file.ts';

type Asset = {
  /** The path below `/assets/`. */
  name: string;
  type: 'text/css' | 'text/javascript';
  content: string;
};

/**
 * Serves one of our files, compressed. Returns its URL, which changes with its content. (Pages aren't compressed: they
 * contain secrets, such as a CSRF token, next to text that someone else may have chosen.)
 */
export const addAsset = (server: Server, { name, type, content }: Asset): string => {
  const file = createStaticFile(`${type}; charset=utf-8`, Buffer.from(content));
  const path = `/assets/${name}`;
  server.get(path, { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true }, file.send);
  return `${path}${file.version}`;
};
