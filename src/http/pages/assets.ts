import type { Server } from '../contract/routes.ts';
import { createStaticFile } from './static-file.ts';

type Asset = {
  /** Below `/assets/`. */
  name: string;
  type: 'text/css' | 'text/javascript';
  content: string;
};

/**
 * A file of ours. Pages themselves aren't compressed: they have secrets, such as a CSRF token, next to what someone else
 * may have chosen. Returns its address, which changes with its content.
 */
export const addAsset = (server: Server, { name, type, content }: Asset): string => {
  const file = createStaticFile(`${type}; charset=utf-8`, Buffer.from(content));
  const path = `/assets/${name}`;
  server.get(path, { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true }, file.send);
  return `${path}${file.version}`;
};
