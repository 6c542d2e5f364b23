import { Type } from '../../../platform/index.ts';
import { type Team, TeamSettings } from '../../../teams/index.ts';
import { type DayForm, readHoursForm, toBusinessHours, toHoursForm } from './hours-form.ts';

/** What the form of the team holds: text, as it was typed. */
export type TeamForm = {
  name: string;
  timeZone: string;
  recordingDays: string;
  payloadDays: string;
  hasHours: boolean;
  days: readonly DayForm[];
};

export const TeamChange = Type.Pick(TeamSettings, ['name', 'timeZone', 'businessHours', 'retention']);

export const toTeamForm = ({ name, timeZone, businessHours, retention }: Team): TeamForm => ({
  name,
  timeZone,
  recordingDays: retention.recordingDays === null ? '' : String(retention.recordingDays),
  payloadDays: String(retention.payloadDays),
  hasHours: businessHours !== null,
  days: toHoursForm(businessHours),
});

export const readTeamForm = (body: Readonly<Record<string, string>>): TeamForm => ({
  name: (body['name'] ?? '').trim(),
  timeZone: body['timeZone'] ?? '',
  recordingDays: (body['recordingDays'] ?? '').trim(),
  payloadDays: (body['payloadDays'] ?? '').trim(),
  hasHours: body['hours'] === 'set',
  days: readHoursForm(body),
});

/** The change that the form asks for, not checked yet. */
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
  name: 'The team needs a name, of 200 characters at most.',
  timeZone: 'Choose a time zone.',
  recordingDays: 'Recordings: give a whole number of days, or nothing to keep them for ever.',
  payloadDays: 'Payloads: give a whole number of days, ten years at most.',
};

export const explainTeamForm =
  ({ days }: TeamForm) =>
  ([field = '', part = '']: readonly string[]): string => {
    const day = days.find((one) => field === 'businessHours' && one.day === part);
    if (day) return `${day.name}: give an opening and a closing time, or say that the day is closed.`;
    return EXPLAINED[field === 'retention' ? part : field] ?? 'These settings cannot be read.';
  };
