import { readFileSync } from 'node:fs';

/** What the style sheet has besides the page frame, in this order. */
export const DASHBOARD_STYLES: readonly string[] = [
  'parts',
  'home',
  'integrations',
  'calls',
  'reports',
  'settings',
  'telephony',
  'alerts',
  'events',
].map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8'));
