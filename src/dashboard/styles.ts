import { readFileSync } from 'node:fs';

/** What the one style sheet has beside the frame of a page, in this order. */
export const DASHBOARD_STYLES: readonly string[] = [
  'parts',
  'home',
  'integrations',
  'calls',
  'reports',
  'settings',
  'telephony',
].map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8'));
