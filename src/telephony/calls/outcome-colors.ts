import type { CallOutcome } from './call.ts';

/** One color for light mode, and one for dark mode. */
type OutcomeColor = { light: string; dark: string };

/**
 * Colors of outcomes in every chart, label, and email. Each can be read as text on a light tint of itself. `unanswered`
 * is for charts that show all unanswered calls as one group. `other` is for outcomes that a chart doesn't name.
 */
export const OUTCOME_COLORS: Readonly<Record<CallOutcome | 'unanswered' | 'other', OutcomeColor>> = {
  answered: { light: '#0b5d4e', dark: '#6fd3bd' },
  missed: { light: '#9c2a1c', dark: '#ff9d8a' },
  abandoned: { light: '#993463', dark: '#f09ab8' },
  voicemail: { light: '#8a5200', dark: '#f0b866' },
  busy: { light: '#5b4a9c', dark: '#b9acf2' },
  rejected: { light: '#3a5a9c', dark: '#9bb8f0' },
  canceled: { light: '#5a6068', dark: '#a3a8ae' },
  failed: { light: '#3d434a', dark: '#d0d3d7' },
  unknown: { light: '#665f55', dark: '#b0a99d' },
  unanswered: { light: '#c77b66', dark: '#b8604c' },
  other: { light: '#5a6068', dark: '#a3a8ae' },
};
