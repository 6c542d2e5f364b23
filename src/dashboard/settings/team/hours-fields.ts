import { type Html, html } from '../../../platform/index.ts';
import { radio } from '../../form.ts';
import { type DayForm, inputName } from './hours-form.ts';

const timeInput = ({ day, name, spans }: DayForm, what: 'opens' | 'closes', index: number): Html =>
  html`<input type="time" name="${inputName(day, what, index)}" value="${spans[index]?.[what] ?? ''}" aria-label="${name} ${what}${index > 0 && ' again'}">`;

const dayFields = (day: DayForm): Html => {
  const closed = inputName(day.day, 'closed');
  return html`<div class="day" role="group" aria-labelledby="${day.day}">
<span id="${day.day}">${day.name}</span>
<span class="spans">${day.spans.map(
    (_, index) => html`<span class="span">${timeInput(day, 'opens', index)}–${timeInput(day, 'closes', index)}</span>`,
  )}</span>
<label class="closed"><input type="checkbox" name="${closed}"${day.closed && html` checked`}> closed</label>
</div>
`;
};

export const hoursFields = (hasHours: boolean, days: readonly DayForm[]): Html => {
  const chosen = hasHours ? 'set' : 'none';
  return html`<fieldset class="hours choices"><legend>Business hours</legend>
${radio('hours', 'none', chosen, 'No fixed hours')}${radio('hours', 'set', chosen, 'These hours')}
<div class="days"><p class="hint">In your team's time zone. Days that you leave empty are closed. Use the second pair of times for a day with a break.</p>
${days.map(dayFields)}</div></fieldset>`;
};

const describeDay = ({ closed, spans }: DayForm): string => {
  const times = spans.filter(({ opens }) => opens !== '').map(({ opens, closes }) => `${opens}–${closes}`);
  return closed || times.length === 0 ? 'closed' : times.join(', ');
};

/** For people who can view but not change. */
export const hoursTable = (days: readonly DayForm[]): Html =>
  html`<table class="narrow"><tbody>${days.map(
    (day) => html`<tr><th scope="row">${day.name}</th><td>${describeDay(day)}</td></tr>`,
  )}</tbody></table>`;
