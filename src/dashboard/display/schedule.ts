import type { HourCycle } from '../../platform/index.ts';
import type { ReportSchedule } from '../../teams/index.ts';

const HALF_DAY = 12;

/** An hour the way the reader writes it: "8:00 AM", "08:00". */
export const hourWords = (hour: number, hourCycle: HourCycle): string =>
  hourCycle === 'h23'
    ? `${String(hour).padStart(2, '0')}:00`
    : `${hour % HALF_DAY || HALF_DAY}:00 ${hour < HALF_DAY ? 'AM' : 'PM'}`;

export const dayName = (day: ReportSchedule['day']): string => `${day.charAt(0).toUpperCase()}${day.slice(1)}`;

/** A schedule in words: "Monday at 8:00 AM". */
export const scheduleWords = ({ day, hour }: ReportSchedule, { hourCycle }: { hourCycle: HourCycle }): string =>
  `${dayName(day)} at ${hourWords(hour, hourCycle)}`;
