import { Type } from '../../../platform/index.ts';
import { type Team, TeamSettings } from '../../../teams/index.ts';
import { type DayForm, readHoursForm, toBusinessHours, toHoursForm } from './hours-form.ts';

/** The team's form, with its values as text. */
export type TeamForm = {
  name: string;
  timeZone: string;
  recordingDays: string;
  payloadDays: string;
  hasHours: boolean;
  /** True if the team has no hours, so that the form suggests some. */
  suggestsHours: boolean;
  days: readonly DayForm[];
};

export const TeamChange = Type.Pick(TeamSettings, ['name', 'timeZone', 'businessHours', 'retention']);

export const toTeamForm = ({ name, timeZone, businessHours, retention }: Team): TeamForm => ({
  name,
  timeZone,
  recordingDays: retention.recordingDays === null ? '' : String(retention.recordingDays),
  payloadDays: String(retention.payloadDays),
  hasHours: businessHours !== null,
  suggestsHours: businessHours === null,
  days: toHoursForm(businessHours),
});

export const readTeamForm = (body: Readonly<Record<string, string>>): TeamForm => ({
  name: (body['name'] ?? '').trim(),
  timeZone: body['timeZone'] ?? '',
  recordingDays: (body['recordingDays'] ?? '').trim(),
  payloadDays: (body['payloadDays'] ?? '').trim(),
  hasHours: body['hours'] === 'set',
  suggestsHours: false,
  days: readHoursForm(body),
});

/** The change that the form requests, not yet checked. */
export const toTeamChange = ({ name, timeZone, recordingDays, payloadDays, hasHours, days }: TeamForm) => ({
  name,
  timeZone,
  businessHours: hasHours ? toBusinessHours(days) : null,
  retention: {
    recordingDays: recordingDays === '' ? null : Number(recordingDays),
    payloadDays: Number(payloadDays),
  },
});

const EXPLAINED: Readonly<Record<string, string>> = {
  name: 'Your team needs a name of up to 200 characters.',
  timeZone: 'Choose a time zone.',
  recordingDays: 'Recordings: enter a whole number of days, or leave it empty to keep them forever.',
  payloadDays: 'Original requests: enter a whole number of days, up to ten years.',
};

export const explainTeamForm = ([field = '', part = '']: readonly string[]): string =>
  EXPLAINED[field === 'retention' ? part : field] ?? "These settings couldn't be read.";
