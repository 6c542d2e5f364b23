import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { businessHoursBlank, businessHoursInvalid, timeZoneUnknown } from '../errors.ts';

const Time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', description: 'HH:MM' });
const Spans = Type.Array(Type.Object({ opens: Time, closes: Time }, { additionalProperties: false }), { maxItems: 6 });

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export const BusinessHours = Type.Object(
  { monday: Spans, tuesday: Spans, wednesday: Spans, thursday: Spans, friday: Spans, saturday: Spans, sunday: Spans },
  {
    title: 'BusinessHours',
    additionalProperties: false,
    description: "In the team's time zone. A day without any is closed, but not all seven.",
  },
);
export type BusinessHours = Static<typeof BusinessHours>;

const ReportSchedule = Type.Object(
  { day: Type.Enum(DAYS), hour: Type.Integer({ minimum: 0, maximum: 23 }) },
  {
    additionalProperties: false,
    description:
      "When the weekly report is ready, in the team's time zone. It covers the last full week, from Monday to Sunday.",
  },
);
export type ReportSchedule = Static<typeof ReportSchedule>;

const Retention = Type.Object(
  {
    recordingDays: Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
      description: '`null`: keep forever',
    }),
    payloadDays: Type.Integer({ minimum: 1, maximum: 3_650 }),
  },
  { additionalProperties: false },
);

/** The settings that a team can change. */
export const TeamSettings = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  timeZone: Type.String({ minLength: 1, maxLength: 100 }),
  businessHours: Type.Union([BusinessHours, Type.Null()], { description: '`null`: not set' }),
  reportRecipients: Type.Union(
    [Type.Array(Type.String({ format: 'email', maxLength: 254 }), { maxItems: 100 }), Type.Null()],
    { description: "`null`: the team's admins" },
  ),
  reportSchedule: ReportSchedule,
  retention: Retention,
});
export type TeamSettings = Static<typeof TeamSettings>;

/** `key` is the team's ID in the operator's product. Null for a team that the operator's product didn't create. */
export type Team = TeamSettings & { id: string; key: string | null; createdAt: number };

/** The settings of a new team. */
export const FIRST_SETTINGS: Omit<TeamSettings, 'name'> = {
  timeZone: 'UTC',
  businessHours: null,
  reportRecipients: null,
  reportSchedule: { day: 'monday', hour: 8 },
  retention: { recordingDays: null, payloadDays: 30 },
};

/** Checks a time zone, ignoring case. Returns its usual spelling, but doesn't replace an older name. */
const toTimeZone = (name: string): string => {
  if (/^[+-]/.test(name)) throw timeZoneUnknown();
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    throw timeZoneUnknown();
  }
};

/** Whether the hours have no open day at all. */
export const isNeverOpen = (businessHours: BusinessHours): boolean =>
  DAYS.every((day) => businessHours[day].length === 0);

/** Refuses business hours without an open day, or with hours that aren't in order. */
export const checkBusinessHours = (businessHours: BusinessHours | null | undefined, field = 'businessHours'): void => {
  if (businessHours && isNeverOpen(businessHours)) throw businessHoursBlank(field);
  const wrong = DAYS.filter((day) => {
    const times = businessHours?.[day].flatMap(({ opens, closes }) => [opens, closes]) ?? [];
    // Fixed-width times compare as text.
    return times.some((time, index) => index > 0 && time <= (times[index - 1] ?? ''));
  });
  if (wrong.length > 0) throw businessHoursInvalid(wrong.map((day) => `${field}.${day}`));
};

/** Refuses settings that the schema can't check. Returns the settings to store. */
export const checkTeamSettings = (settings: Partial<TeamSettings>): Partial<TeamSettings> => {
  checkBusinessHours(settings.businessHours);
  return settings.timeZone === undefined ? settings : { ...settings, timeZone: toTimeZone(settings.timeZone) };
};
