import { readFileSync } from 'node:fs';
import { createStaticFile, type Routes } from '../../http/index.ts';
import type { IntegrationsContext } from '../context.ts';

const SCRIPT = readFileSync(new URL('./connect.js', import.meta.url), 'utf8');
/** Every product's pages load it, and it's the same for everyone. */
const HEADERS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/**
 * `/connect.js`: connecting accounts from a product's own page. Patchbay's address is in it, so that the buttons of a copy
 * send their sessions nowhere else: someone who can add elements to a page can choose attributes, and can load a script
 * that the page's policy allows with another query.
 */
export const scriptRoutes =
  ({ url }: Pick<IntegrationsContext, 'url'>): Routes =>
  (server) => {
    const script = SCRIPT.replace("'PATCHBAY_URL'", () => JSON.stringify(url));
    const file = createStaticFile('text/javascript; charset=utf-8', Buffer.from(script));
    server.get(
      '/connect.js',
      { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
      (request, reply) => file.send(request, reply.headers(HEADERS)),
    );
  };
