import { readFileSync } from 'node:fs';
import type { Server } from '../http/index.ts';

/** On every page. */
export const FRAME_SCRIPT = 'frame.js';

const SCRIPT = readFileSync(new URL('./frame.js', import.meta.url), 'utf8');

export const addFrameScript = (server: Server): void => {
  server.get(`/assets/${FRAME_SCRIPT}`, { schema: { hide: true }, config: { access: 'anyone' } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/javascript; charset=utf-8').send(SCRIPT),
  );
};
