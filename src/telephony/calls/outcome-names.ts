import type { CallOutcome } from './call.ts';

/** The outcome names that people see. */
export const OUTCOME_NAMES: Readonly<Record<CallOutcome, string>> = {
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

export const OUTCOMES = Object.keys(OUTCOME_NAMES) as CallOutcome[];
