import {
  type Html,
  html,
  MAIL_HEADING,
  MAIL_LINK,
  MAIL_QUIET,
  renderMailPage,
  toOneLine,
} from '../../platform/index.ts';
import type { ReportView } from '../figures/view-report.ts';
import { busyRows, formatCell, formatHeat, NO_CALLS, SHORT_DAYS } from './heat-chart.ts';
import { remarksOf } from './remarks.ts';
import { titleOf } from './report-title.ts';
import type { Row } from './row.ts';
import { type Section, sectionsOf } from './sections.ts';

export type ReportLinks = { report: string; unsubscribe: string };
export type ReportMail = { subject: string; html: string; text: string };

const HEAT_TITLE = 'Calls by hour';
const HEAT_NOTE = 'Hours with no calls are left out. A dash (–) marks an hour that the clocks skipped.';
const CELL = 'padding:8px 8px 8px 0;border-top:1px solid #ddd8cd;text-align:left;vertical-align:top;font-weight:normal';
const TABLE = 'width:100%;border-collapse:collapse';
/** The same dark text is readable on each of them, in light and dark mode. */
const SHADES = ['#d5ebe5', '#b4dccf', '#8fcab9', '#6bb7a3'];

/** A table, because Outlook on Windows honors no other width. Hidden from screen readers: the figure is next to it. */
const barOf = (share: number): Html => {
  const width = Math.max(share > 0 ? 2 : 0, Math.round(share * 100));
  return html`<table role="presentation" aria-hidden="true" cellpadding="0" cellspacing="0" style="width:100%;border-collapse:collapse"><tr>${width > 0 && html`<td bgcolor="#2f8f7b" style="width:${width}%;height:12px;padding:0;background:#2f8f7b;font-size:1px;line-height:12px">&nbsp;</td>`}${width < 100 && html`<td style="height:12px;padding:0;font-size:1px;line-height:12px">&nbsp;</td>`}</tr></table>`;
};

/** Makes a caller's number tappable on a phone. */
const labelOf = ({ label, phone }: Row): Html | string =>
  phone === null ? label : html`<a class="link" href="tel:${phone}" style="${MAIL_LINK}">${label}</a>`;

const rowOf = (row: Row): Html => {
  const { value, note, share } = row;
  return html`<tr><th class="line" scope="row" style="${CELL}">${labelOf(row)}${note !== null && html`<br><span class="quiet" style="${MAIL_QUIET}">${note}</span>`}</th><td class="line" style="${CELL};text-align:right${share !== null && ';white-space:nowrap'}"${share === null && html` colspan="2"`}><strong>${value}</strong></td>${share !== null && html`<td class="line" style="${CELL};width:26%;padding:14px 0 8px">${barOf(share)}</td>`}</tr>
`;
};

const sectionOf = ({ title, rows }: Section): Html =>
  html`<h2 style="${MAIL_HEADING}">${title}</h2>
<table aria-label="${title}" cellpadding="0" cellspacing="0" style="${TABLE}">
${rows.map(rowOf)}</table>
`;

const heatOf = ({ figures: { heat } }: ReportView): Html => {
  const rows = busyRows(heat);
  const heading = html`<h2 style="${MAIL_HEADING}">${HEAT_TITLE}</h2>`;
  if (rows.length === 0) return html`${heading}<p>${NO_CALLS}</p>`;
  const most = Math.max(1, ...rows.flatMap(({ calls }) => calls.map((count) => count ?? 0)));
  const shadeOf = (count: number | null): string => {
    const shade = count && SHADES[Math.ceil((count / most) * SHADES.length) - 1];
    return shade ? `;background:${shade};color:#10211d` : '';
  };
  const cell = 'padding:3px 1px;text-align:center;font-size:12px;font-weight:normal;white-space:nowrap';
  return html`${heading}
<table aria-label="${HEAT_TITLE}" cellpadding="0" cellspacing="1" style="width:100%">
<tr><td></td>${SHORT_DAYS.map((day) => html`<th class="quiet" scope="col" style="${cell};width:13%;color:#5a6068">${day}</th>`)}</tr>
${rows.map(
  ({ hour, calls }) =>
    html`<tr><th class="quiet" scope="row" style="${cell};color:#5a6068">${hour}</th>${calls.map((count) => html`<td style="${cell}${shadeOf(count)}">${formatCell(count)}</td>`)}</tr>
`,
)}</table>
<p class="quiet" style="${MAIL_QUIET}">${HEAT_NOTE}</p>
`;
};

const footOf = ({ revision, timeZone }: ReportView): string =>
  `Times are in ${toOneLine(timeZone)}. Revision ${revision}.`;

const renderHtml = (report: ReportView, title: string, links: ReportLinks): string =>
  renderMailPage(
    title,
    html`<p style="margin:0"><a class="link" href="${links.report}" style="${MAIL_LINK}">Open the report</a></p>
${remarksOf(report).map((remark) => html`<p class="quiet" style="${MAIL_QUIET};margin:8px 0 0">${remark}</p>\n`)}${sectionsOf(report).map(sectionOf)}${heatOf(report)}<p class="quiet" style="${MAIL_QUIET}">${footOf(report)}<br>
<a class="link" href="${links.unsubscribe}" style="${MAIL_LINK}">Unsubscribe</a></p>
`,
  );

const lineOf = ({ label, value, note }: Row): string => `  ${label}: ${value}${note === null ? '' : `, ${note}`}`;

const heatText = ({ figures: { heat } }: ReportView): string =>
  [HEAT_TITLE, formatHeat(heat), ...(busyRows(heat).length > 0 ? [HEAT_NOTE] : [])].join('\n');

const renderText = (report: ReportView, title: string, links: ReportLinks): string =>
  [
    [title, links.report, ...remarksOf(report)].join('\n'),
    ...sectionsOf(report).map(({ title: heading, rows }) => [heading, ...rows.map(lineOf)].join('\n')),
    heatText(report),
    `${footOf(report)}\nUnsubscribe: ${links.unsubscribe}\n`,
  ].join('\n\n');

/** The HTML and plain-text versions say the same thing. */
export const renderMail = (report: ReportView, links: ReportLinks): ReportMail => {
  const title = titleOf(report.week, report, report.timeZone, report.team);
  return { subject: title, html: renderHtml(report, title, links), text: renderText(report, title, links) };
};
