import { readFileSync } from 'node:fs';
import { OUTCOME_STYLES } from './display/pill.ts';

const SHEETS = [
  'parts',
  'display',
  'home',
  'integrations',
  'calls',
  'reports',
  'settings',
  'telephony',
  'alerts',
  'events',
];

/** What the style sheet has besides the page frame, in this order. */
export const DASHBOARD_STYLES: readonly string[] = [
  ...SHEETS.map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')),
  OUTCOME_STYLES,
];
