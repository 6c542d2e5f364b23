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
  'requests',
  'approvals',
  'agents',
];

/** The dashboard's part of the style sheet, in order. The page frame's styles come before it. */
export const DASHBOARD_STYLES: readonly string[] = [
  ...SHEETS.map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')),
  OUTCOME_STYLES,
];
