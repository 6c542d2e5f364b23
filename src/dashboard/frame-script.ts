import { readFileSync } from 'node:fs';
import { addAsset, type Server } from '../http/index.ts';

/** The script that every page loads. */
export const FRAME_SCRIPT = 'frame.js';

const SCRIPT = readFileSync(new URL('./frame.js', import.meta.url), 'utf8');

export const addFrameScript = (server: Server): string =>
  addAsset(server, { name: FRAME_SCRIPT, type: 'text/javascript', content: SCRIPT });
