import { readFileSync } from 'node:fs';
import { createStaticFile, type Routes } from '../../http/index.ts';
import type { IntegrationsContext } from '../context.ts';

const SCRIPT = readFileSync(new URL('./connect.js', import.meta.url), 'utf8');
/** Pages of any origin may load the script. It's the same for everyone. */
const HEADERS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/**
 * Serves `/connect.js`, which connects accounts from a product's own page. Patchbay's URL is written into the script,
 * so that its buttons send their sessions nowhere else. The script doesn't read the URL from an attribute or the query,
 * because anyone who can add elements to the page can set those.
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
