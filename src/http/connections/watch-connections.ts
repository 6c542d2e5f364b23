import { createOutage, type Log } from '../../platform/index.ts';
import type { Server } from '../contract/routes.ts';
import { strangerKey } from '../guard/stranger-key.ts';
import type { TrustedProxies } from '../guard/trusted-proxies.ts';
import { endSlowReaders } from './end-slow-readers.ts';
import { limitConnections } from './limit-connections.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';

const SAY_AGAIN_MS = 10_000;

type Watched = { log: Log; isTrusted: TrustedProxies; pipelining: PipeliningGuard; most: number };

/** Ends connections that don't read their responses, and connections above the limit. */
export const watchConnections = (server: Server, { log, isTrusted, pipelining, most }: Watched): void => {
  const slowReaders = endSlowReaders(server.server, pipelining);
  const crowd = createOutage(SAY_AGAIN_MS);
  limitConnections(server.server, {
    most,
    addressOf: (address) => (isTrusted(address) ? null : strangerKey(address)),
    lastOn: pipelining.lastOn,
    behindSince: slowReaders.behindSince,
    onFull() {
      if (crowd.isOn()) return;
      crowd.begin();
      log.warn({ most }, 'there are too many connections; idle ones are being closed');
    },
  });
  server.addHook('onClose', async () => slowReaders.stop());
};
