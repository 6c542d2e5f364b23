import { readFileSync } from 'node:fs';
import { type HourCycle, type Html, html } from '../../../platform/index.ts';
import { hourWords } from '../../display/schedule.ts';
import { radio } from '../../form.ts';
import { type DayForm, type HourFlaws, inputName } from './hours-form.ts';
import type { TeamForm } from './team-form.ts';

/**
 * The script that copies a day's times to all days. Without JavaScript, the button submits the form, which comes back
 * with the copied times.
 */
export const HOURS_SCRIPT = {
  name: 'hours.js',
  type: 'text/javascript',
  content: readFileSync(new URL('./hours.js', import.meta.url), 'utf8'),
} as const;

/** Messages next to the hours. */
export type HoursNote = {
  flaws?: HourFlaws;
  /** The day whose times were just copied to all others. */
  copied?: string | undefined;
};

type Hours = Pick<TeamForm, 'hasHours' | 'suggestsHours' | 'days'>;

const timeInput = ({ day, name, spans }: DayForm, what: 'opens' | 'closes', index: number, flaw?: string): Html =>
  html`<input type="time" name="${inputName(day, what, index)}" value="${spans[index]?.[what] ?? ''}" aria-label="${name} ${what}${index > 0 && ' again'}"${flaw && html` aria-invalid="true" aria-describedby="${day}-flaw"`}>`;

const dayFields = (day: DayForm, flaw?: string): Html => {
  const closed = inputName(day.day, 'closed');
  return html`<div class="day" role="group" aria-labelledby="${day.day}">
<span id="${day.day}">${day.name}</span>
<span class="spans">${day.spans.map(
    (_, index) =>
      html`<span class="span">${timeInput(day, 'opens', index, flaw)}–${timeInput(day, 'closes', index, flaw)}</span>`,
  )}</span>
<label class="closed"><input type="checkbox" name="${closed}"${day.closed && html` checked`}> closed</label>
<button class="plain" name="copy" value="${day.day}" formaction="/settings#hours" formnovalidate>Copy<span class="unseen"> ${day.name}</span> to all days</button>${
    flaw && html`<p class="flaw" id="${day.day}-flaw">${flaw}</p>`
  }
</div>
`;
};

const unsavedWords = ({ suggestsHours, days }: Hours, { copied }: HoursNote): string => {
  const source = days.find(({ day }) => day === copied);
  if (source) return `${source.name} was copied to all days. Nothing is saved yet.`;
  return suggestsHours ? '9 to 5 on weekdays is only a suggestion. Nothing is saved until you save.' : '';
};

export const hoursFields = (hours: Hours, note: HoursNote): Html => {
  const chosen = hours.hasHours ? 'set' : 'none';
  return html`<fieldset class="hours choices" id="hours"><legend>Business hours</legend>
<p class="hint">A number can be answered differently outside of these hours. Alerts about missed calls and the weekly report tell calls within them from others.</p>
${radio('hours', 'none', chosen, 'No fixed hours')}${radio('hours', 'set', chosen, 'These hours')}
<div class="days"><p class="unsaved" role="status">${unsavedWords(hours, note)}</p>
<p class="hint">In your team's time zone. Days that you leave empty are closed. Use the second pair of times for a day with a break.</p>
${hours.days.map((day) => dayFields(day, note.flaws?.get(day.day)))}</div></fieldset>`;
};

/** Formats a time: "13:30" → "1:30 PM". */
const timeWords = (time: string, hourCycle: HourCycle): string => {
  const [hour = '', minutes = ''] = time.split(':');
  return hourWords(Number(hour), hourCycle).replace(':00', `:${minutes}`);
};

const describeDay = ({ closed, spans }: DayForm, hourCycle: HourCycle): string => {
  const times = spans
    .filter(({ opens }) => opens !== '')
    .map(({ opens, closes }) => `${timeWords(opens, hourCycle)}–${timeWords(closes, hourCycle)}`);
  return closed || times.length === 0 ? 'closed' : times.join(', ');
};

/** The hours for people who can view but not change them. */
export const hoursTable = (days: readonly DayForm[], hourCycle: HourCycle): Html =>
  html`<table class="narrow"><tbody>${days.map(
    (day) => html`<tr><th scope="row">${day.name}</th><td>${describeDay(day, hourCycle)}</td></tr>`,
  )}</tbody></table>`;
