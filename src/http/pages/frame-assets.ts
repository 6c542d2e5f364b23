import { readFileSync } from 'node:fs';
import type { Server } from '../contract/routes.ts';
import { addAsset } from './assets.ts';

const read = (name: string): Buffer => readFileSync(new URL(`./${name}`, import.meta.url));

const addPicture = (server: Server, name: string): void => {
  const picture = read(name);
  server.get(
    `/assets/${name}`,
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    (_request, reply) => reply.header('cache-control', 'public, max-age=86400').type('image/png').send(picture),
  );
};

/** Adds the files that every page loads: the pictures, and one style sheet made of the frame's styles and `styles`. */
export const addFrameAssets = (server: Server, styles: readonly string[]): void => {
  addAsset(server, { name: 'patchbay.css', type: 'text/css', content: [read('page.css'), ...styles].join('\n') });
  addPicture(server, 'touch-icon.png');
  addPicture(server, 'social.png');
};
