import { createZoneFormats } from '../../platform/index.ts';
import { type BusinessHours, DAYS } from '../records/team.ts';

const formatIn = createZoneFormats({
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The weekday and time in a time zone. */
const wallClock = (at: number, timeZone: string): { day: (typeof DAYS)[number]; time: string } => {
  const parts = formatIn(timeZone).formatToParts(at);
  const part = (type: string): string => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const weekday = part('weekday').toLowerCase();
  return { day: DAYS.find((day) => day === weekday) ?? 'monday', time: `${part('hour')}:${part('minute')}` };
};

/** Whether an instant is within business hours. Always true if no hours are set. */
export const isWithinHours = (hours: BusinessHours | null, timeZone: string, at: number): boolean => {
  if (!hours) return true;
  const { day, time } = wallClock(at, timeZone);
  return hours[day].some(({ opens, closes }) => opens <= time && time < closes);
};
