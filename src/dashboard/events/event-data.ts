import { type Html, html } from '../../platform/index.ts';
import { labelOf } from '../notice.ts';

/** What is nested more deeply is shown as JSON. */
const MOST_LEVELS = 3;

const show = (value: unknown, level: number): Html | string => {
  if (value === null || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'object') return String(value);
  if (level > MOST_LEVELS) return html`<code>${JSON.stringify(value)}</code>`;
  if (!Array.isArray(value)) return dataList(value, level + 1);
  return value.length === 0 ? '–' : html`<ul>${value.map((one) => html`<li>${show(one, level + 1)}</li>`)}</ul>`;
};

/** Labels and values, whatever they are. */
export const dataList = (data: object, level = 1): Html =>
  html`<dl class="event-data">${Object.entries(data).map(
    ([name, value]) => html`<dt>${labelOf(name)}</dt><dd>${show(value, level)}</dd>\n`,
  )}</dl>`;
