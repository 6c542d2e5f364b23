import type { Static } from 'typebox';
import { createZoneFormats, Type } from '../../platform/index.ts';
import { BusinessHours, DAYS } from '../../teams/index.ts';

const strict = { additionalProperties: false };
const Spoken = Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()]);
const PhoneNumber = Type.String({
  pattern: '^\\+[1-9]\\d{6,14}$',
  description: 'A phone number with a country code, like +15551230001',
});

const fields = {
  greeting: Type.Optional(Spoken),
  forwardTo: Type.Optional(Type.Array(PhoneNumber, { maxItems: 10 })),
  ringSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 120 })),
  screen: Type.Optional(Type.Boolean({ description: 'Require a key press to accept the call' })),
  voicemail: Type.Optional(Type.Boolean()),
  voicemailPrompt: Type.Optional(Spoken),
  record: Type.Optional(Type.Boolean()),
  notice: Type.Optional(Spoken),
};

/** How a number is answered, as an admin sets it. */
export const Answer = Type.Object(
  {
    ...fields,
    hours: Type.Optional(
      Type.Union([
        Type.Object(
          {
            open: Type.Union([BusinessHours, Type.Null()], { description: "null for the team's business hours" }),
            outside: Type.Object(fields, strict),
          },
          strict,
        ),
        Type.Null(),
      ]),
    ),
  },
  strict,
);
export type Answer = Static<typeof Answer>;

/** How a number is answered at one moment, fully resolved. */
export type AnswerSettings = Required<Omit<Answer, 'hours'>>;

/** Recording without notice is illegal in many places, so there is always a notice. */
const STANDARD: AnswerSettings = {
  greeting: null,
  forwardTo: [],
  ringSeconds: 20,
  screen: false,
  voicemail: true,
  voicemailPrompt: null,
  record: false,
  notice: 'This call may be recorded.',
};

const formatIn = createZoneFormats({
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The weekday and time in the team's time zone. */
const wallClock = (now: number, timeZone: string): { day: (typeof DAYS)[number]; time: string } => {
  const parts = formatIn(timeZone).formatToParts(now);
  const part = (type: string): string => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const weekday = part('weekday').toLowerCase();
  return { day: DAYS.find((day) => day === weekday) ?? 'monday', time: `${part('hour')}:${part('minute')}` };
};

/** The number's own hours, else the team's. Without either, it is always open. */
export const isOpenAt = (
  { open }: NonNullable<Answer['hours']>,
  { businessHours, timeZone }: { businessHours: BusinessHours | null; timeZone: string },
  now: number,
): boolean => {
  const hours = open ?? businessHours;
  if (!hours) return true;
  const { day, time } = wallClock(now, timeZone);
  return hours[day].some(({ opens, closes }) => opens <= time && time < closes);
};

/** The settings while the number is open; outside its hours, with the overrides. */
export const settingsWhen = ({ hours, ...always }: Answer, open: boolean): AnswerSettings => {
  const settings = { ...STANDARD, ...always, ...(open ? {} : hours?.outside) };
  return { ...settings, notice: settings.notice ?? STANDARD.notice };
};
