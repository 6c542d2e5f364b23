import { type Html, html, Type } from '../../../platform/index.ts';
import { DAYS, type Team, TeamSettings } from '../../../teams/index.ts';
import type { Region } from '../../display/region.ts';
import { dayName, hourWords } from '../../display/schedule.ts';
import { choice } from '../../form.ts';

/** The schedule as the form has it. */
export type ScheduleForm = { day: string; hour: string };

export const ScheduleChange = Type.Pick(TeamSettings, ['reportSchedule']);

export const SCHEDULE_FLAW = 'Choose a day and an hour from the lists.';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export const toScheduleForm = ({ reportSchedule: { day, hour } }: Team): ScheduleForm => ({ day, hour: String(hour) });

/** The change that the form requests, not yet checked. */
export const toScheduleChange = ({ day, hour }: ScheduleForm) => ({
  reportSchedule: { day, hour: /^\d{1,2}$/.test(hour) ? Number(hour) : hour },
});

export const scheduleFields = ({ hourCycle }: Region, { day, hour }: ScheduleForm): Html =>
  html`${choice({
    name: 'day',
    label: 'Day',
    value: day,
    options: DAYS.map((value) => ({ value, label: dayName(value) })),
  })}
${choice({
  name: 'hour',
  label: 'Time',
  value: hour,
  options: HOURS.map((value) => ({ value: String(value), label: hourWords(value, hourCycle) })),
})}`;
