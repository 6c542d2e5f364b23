import {
  LAYOUT_TABLE,
  MAIL_HEADING,
  MAIL_LINE,
  MAIL_QUIET,
  mailDark,
  mailFill,
  mailLink,
  mailQuiet,
} from '../../mail/index.ts';
import { type HourCycle, type Html, html } from '../../platform/index.ts';
import { OUTCOME_COLORS } from '../../telephony/index.ts';
import type { Figures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';
import type { Headline } from './headlines.ts';
import { busyRows, formatCell, NO_CALLS, SHORT_DAYS } from './heat-chart.ts';
import { cutRows, type Row } from './row.ts';
import type { Section } from './sections.ts';

export const HEAT_TITLE = 'Calls by hour';
export const HEAT_NOTE = 'Hours with no calls are left out. A dash (–) marks an hour that the clocks skipped.';

const CELL = `padding:8px 8px 8px 0;${MAIL_LINE};text-align:left;vertical-align:top;font-weight:normal`;
const DATA_TABLE = html`cellpadding="0" cellspacing="0" border="0" width="100%"`;
/** Background colors on which the same dark text is readable, in light and dark mode. */
const SHADES = ['#d5ebe5', '#b4dccf', '#8fcab9', '#6bb7a3'];
/** The color of a bar that isn't about an outcome. */
const PLAIN_BAR = { light: '#8b9097', dark: '#8b9097' };

/** Dark-mode colors of the bars. Each outcome has the same color as on the pages. */
export const DARK_BARS = mailDark(
  Object.fromEntries(
    Object.entries(OUTCOME_COLORS).map(([outcome, { dark }]) => [`.is-${outcome}`, `background-color:${dark}`]),
  ),
);

const headingOf = (title: string): Html => html`<h2 style="${MAIL_HEADING}">${title}</h2>
`;

/**
 * A bar. It's a table, because Outlook on Windows honors no other width. Hidden from screen readers, because the figure
 * is next to it.
 */
const barOf = (share: number, outcome: Row['outcome']): Html => {
  const width = Math.max(share > 0 ? 2 : 0, Math.round(share * 100));
  const { light } = outcome === null ? PLAIN_BAR : OUTCOME_COLORS[outcome];
  const cell = 'height:12px;font-size:1px;line-height:12px';
  return html`<table ${LAYOUT_TABLE} width="100%" aria-hidden="true"><tr>${width > 0 && html`<td${outcome && html` class="is-${outcome}"`} width="${width}%" height="12" ${mailFill(light, cell)}>&nbsp;</td>`}${width < 100 && html`<td width="${100 - width}%" height="12" style="${cell}">&nbsp;</td>`}</tr></table>`;
};

/** Makes a caller's phone number a link, so that it can be tapped on a phone. */
const labelOf = ({ label, phone }: Row): Html | string => (phone === null ? label : mailLink(`tel:${phone}`, label));

const rowOf = (row: Row): Html => {
  const { value, note, share, outcome } = row;
  return html`<tr><th class="line" scope="row" align="left" style="${CELL}">${labelOf(row)}${note !== null && html`<br><span class="quiet" style="${MAIL_QUIET}">${note}</span>`}</th><td class="line" align="right" style="${CELL};text-align:right${share !== null && ';white-space:nowrap'}"${share === null && html` colspan="2"`}><strong>${value}</strong></td>${share !== null && html`<td class="line" width="26%" style="${CELL};padding:14px 0 8px">${barOf(share, outcome)}</td>`}</tr>
`;
};

export const moreWords = (more: number, unit: Section['unit']): string =>
  `See ${formatCount(more)} more ${unit === null ? '' : `${unit} `}in the report`;

export const sectionOf = ({ title, rows, unit }: Section, reportUrl: string): Html => {
  const { first, more } = cutRows(rows);
  return html`${headingOf(title)}<table aria-label="${title}" ${DATA_TABLE}>
${first.map(rowOf)}</table>
${more > 0 && mailQuiet(mailLink(reportUrl, moreWords(more, unit)))}`;
};

const figureCell = ({ label, value, note, isBad }: Headline): Html =>
  html`<td class="line" width="50%" valign="top" style="padding:12px 8px 12px 0;${MAIL_LINE};vertical-align:top"><span class="quiet" style="${MAIL_QUIET}">${label}</span><br><strong${isBad && html` class="is-bad"`} style="font-size:24px;line-height:1.3${isBad && `;color:${OUTCOME_COLORS.missed.light}`}">${value}</strong>${note !== null && html`<br><span class="quiet" style="${MAIL_QUIET}">${note}</span>`}</td>`;

export const DARK_HEADLINES = mailDark({ '.is-bad': `color:${OUTCOME_COLORS.missed.dark}` });

/** Shows two headlines in a row, which fits on a phone. */
export const headlinesTable = (headlines: readonly Headline[]): Html =>
  html`<table ${LAYOUT_TABLE} width="100%">
${headlines.map((headline, index) => html`${index % 2 === 0 ? html`<tr>` : ''}${figureCell(headline)}${index % 2 === 1 ? html`</tr>\n` : ''}`)}</table>
`;

export const heatTable = (heat: Figures['heat'], hourCycle: HourCycle): Html => {
  const rows = busyRows(heat, hourCycle);
  if (rows.length === 0)
    return html`${headingOf(HEAT_TITLE)}<p style="margin:0">${NO_CALLS}</p>
`;
  const most = Math.max(1, ...rows.flatMap(({ calls }) => calls.map((count) => count ?? 0)));
  const cell = 'padding:3px 1px;text-align:center;font-size:12px;font-weight:normal';
  const cellOf = (count: number | null): Html => {
    const shade = count ? SHADES[Math.ceil((count / most) * SHADES.length) - 1] : undefined;
    const look = shade ? mailFill(shade, `color:#10211d;${cell}`) : html`style="${cell}"`;
    return html`<td align="center" ${look}>${formatCell(count)}</td>`;
  };
  return html`${headingOf(HEAT_TITLE)}<table aria-label="${HEAT_TITLE}" cellpadding="0" cellspacing="1" border="0" width="100%">
<tr><td width="9%"></td>${SHORT_DAYS.map((day) => html`<th class="quiet" scope="col" width="13%" style="${cell};${MAIL_QUIET}">${day}</th>`)}</tr>
${rows.map(
  ({ hour, calls }) =>
    html`<tr><th class="quiet" scope="row" style="${cell};white-space:nowrap;${MAIL_QUIET}">${hour}</th>${calls.map(cellOf)}</tr>
`,
)}</table>
${mailQuiet(HEAT_NOTE)}`;
};
