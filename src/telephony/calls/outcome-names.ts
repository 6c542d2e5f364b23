import type { Outcome } from './call.ts';

/** The outcome names that people see. */
export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  answered: 'Answered',
  missed: 'Missed',
  abandoned: 'Abandoned',
  voicemail: 'Voicemail',
  busy: 'Busy',
  rejected: 'Rejected',
  canceled: 'Canceled',
  failed: 'Failed',
  unknown: 'Unknown',
};

export const OUTCOMES = Object.keys(OUTCOME_NAMES) as Outcome[];
