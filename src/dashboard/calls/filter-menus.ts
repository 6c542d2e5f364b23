import { type Html, html, toIso } from '../../platform/index.ts';
import { phoneWords } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { callsAddress, type EnteredFilter } from './call-filter.ts';

/** One of the team's numbers that calls come in on. */
export type OwnNumber = { number: string; label: string | null; simulated: boolean };

/** How many numbers the menu shows. The filter form accepts any number. */
export const MOST_NUMBERS = 12;

type Option = { name: string; query: EnteredFilter; isCurrent: boolean };

const DAY_MS = 86_400_000;
const PERIODS = [
  { name: 'Today', days: 1 },
  { name: 'Last 7 days', days: 7 },
  { name: 'Last 30 days', days: 30 },
] as const;

/** The first day of a period that ends today, in the team's time zone: "2026-11-11" */
const firstDayOf = (days: number, { now, timeZone }: Region): string => {
  const today = new Intl.DateTimeFormat('sv', { timeZone }).format(now);
  return toIso(Date.parse(today) - (days - 1) * DAY_MS).slice(0, 10);
};

const menu = (label: string, chosen: string, options: readonly Option[]): Html =>
  html`<details class="menu"><summary><span class="unseen">${label}: </span>${chosen}</summary><div><ul>${options.map(
    ({ name, query, isCurrent }) =>
      html`<li><a href="${callsAddress('/calls', query)}"${isCurrent && html` aria-current="true"`}>${name}</a></li>\n`,
  )}</ul></div></details>`;

const periodMenu = (query: EnteredFilter, region: Region): Html => {
  const { since = '', until = '' } = query;
  const to = (day: string): EnteredFilter => ({ ...query, since: day, until: '' });
  const options = [
    { name: 'Any time', query: to(''), isCurrent: since === '' && until === '' },
    ...PERIODS.map(({ name, days }) => {
      const day = firstDayOf(days, region);
      return { name, query: to(day), isCurrent: since === day && until === '' };
    }),
  ];
  return menu('Period', options.find(({ isCurrent }) => isCurrent)?.name ?? 'Other dates', options);
};

/** The menu of the team's numbers. Left out if there are fewer than two. */
const numberMenu = (query: EnteredFilter, numbers: readonly OwnNumber[], region: Region): Html | false => {
  const { to = '' } = query;
  if (numbers.length < 2) return false;
  const options = [
    { name: 'All numbers', query: { ...query, to: '' }, isCurrent: to.trim() === '' },
    ...numbers.map(({ number, label, simulated }) => ({
      name: simulated ? 'Demo' : (label ?? phoneWords(number, region)),
      query: { ...query, to: number },
      isCurrent: to.trim() === number,
    })),
  ];
  return menu('Number', options.find(({ isCurrent }) => isCurrent)?.name ?? 'Other number', options);
};

/** The menus for the most common filters: the period, and which of the team's numbers was called. */
export const filterMenus = (query: EnteredFilter, numbers: readonly OwnNumber[], region: Region): Html => {
  const { cursor: _fromTheTop, ...kept } = query;
  return html`${periodMenu(kept, region)}${numberMenu(kept, numbers, region)}`;
};
