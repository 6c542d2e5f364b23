import { readFileSync } from 'node:fs';

/** The script that keeps a list of calls live. */
export const LIVE_SCRIPT = 'calls.js';
/** The script for everything else in the list of calls. */
export const LIST_SCRIPT = 'call-list.js';
/** The script that follows a transcript while its recording plays. */
export const FOLLOW_SCRIPT = 'call-follow.js';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

export const CALL_SCRIPTS = [
  { name: LIVE_SCRIPT, type: 'text/javascript', content: read('./live.js') },
  { name: LIST_SCRIPT, type: 'text/javascript', content: read('./list.js') },
  { name: FOLLOW_SCRIPT, type: 'text/javascript', content: read('./follow.js') },
] as const;
