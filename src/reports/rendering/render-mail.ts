import { leadsSomewhere, mailButton, mailLink, mailQuiet, renderMailPage, toOneLine } from '../../mail/index.ts';
import { hourCycleIn, html } from '../../platform/index.ts';
import type { ReportView } from '../figures/view-report.ts';
import { headlinesOf, summarizeReport } from './headlines.ts';
import { busyRows, formatHeat } from './heat-chart.ts';
import {
  DARK_BARS,
  DARK_HEADLINES,
  HEAT_NOTE,
  HEAT_TITLE,
  headlinesTable,
  heatTable,
  moreWords,
  sectionOf,
} from './mail-parts.ts';
import { remarksOf } from './remarks.ts';
import { titleOf } from './report-title.ts';
import { cutRows, type Row } from './row.ts';
import { type Section, type SectionId, sectionsOf } from './sections.ts';

export type ReportLinks = { report: string; unsubscribe: string };
type ReportMail = { subject: string; html: string; text: string };

/** The sections before the chart of calls by hour. */
const FIRST: readonly SectionId[] = ['outcomes'];

const splitSections = (report: ReportView): { first: Section[]; others: Section[] } => {
  const sections = sectionsOf(report);
  return {
    first: sections.filter(({ id }) => FIRST.includes(id)),
    others: sections.filter(({ id }) => !FIRST.includes(id)),
  };
};

/** The team's name. Empty if it has a link: the team's admin chose it, and the recipients may be strangers. */
const teamOf = ({ team }: ReportView): string => (leadsSomewhere(team) ? '' : toOneLine(team));

const footOf = ({ revision, timeZone }: ReportView): string =>
  `Times are in ${toOneLine(timeZone)}.${revision > 1 ? ` Revision ${revision}: something came in late, so the week was counted again.` : ''}`;

const renderHtml = (report: ReportView, title: string, links: ReportLinks): string => {
  const { first, others } = splitSections(report);
  const draw = (section: Section) => sectionOf(section, links.report);
  return renderMailPage({
    title,
    kicker: teamOf(report),
    heading: titleOf(report.week, report, report.timeZone),
    preheader: summarizeReport(report),
    content: html`${remarksOf(report).map(mailQuiet)}${headlinesTable(headlinesOf(report))}${mailButton(links.report, 'Open the report')}${first.map(draw)}${heatTable(report.figures.heat, hourCycleIn(report.timeZone))}${others.map(draw)}`,
    foot: html`${footOf(report)}<br>
${mailLink(links.unsubscribe, 'Unsubscribe')}`,
    dark: DARK_BARS + DARK_HEADLINES,
  });
};

/** Adds a note to a line. A whole sentence goes on a line of its own. */
const noteOf = (note: string | null): string => {
  if (note === null) return '';
  return /[.!?…]$/.test(note) ? `\n    ${note}` : `, ${note}`;
};

const lineOf = ({ label, value, note }: Pick<Row, 'label' | 'value' | 'note'>): string =>
  `  ${label}: ${value}${noteOf(note)}`;

const sectionText = ({ title, rows, unit }: Section, reportUrl: string): string => {
  const { first, more } = cutRows(rows);
  return [title, ...first.map(lineOf), ...(more > 0 ? [`  ${moreWords(more, unit)}: ${reportUrl}`] : [])].join('\n');
};

const heatText = ({ figures: { heat }, timeZone }: ReportView): string => {
  const hourCycle = hourCycleIn(timeZone);
  return [HEAT_TITLE, formatHeat(heat, hourCycle), ...(busyRows(heat, hourCycle).length > 0 ? [HEAT_NOTE] : [])].join(
    '\n',
  );
};

const renderText = (report: ReportView, title: string, links: ReportLinks): string => {
  const { first, others } = splitSections(report);
  const write = (section: Section): string => sectionText(section, links.report);
  return [
    [title, links.report, ...remarksOf(report)].join('\n'),
    ['At a glance', ...headlinesOf(report).map(lineOf)].join('\n'),
    ...first.map(write),
    heatText(report),
    ...others.map(write),
    `${footOf(report)}\nUnsubscribe: ${links.unsubscribe}\n`,
  ].join('\n\n');
};

/** Renders the HTML and plain-text versions, which say the same thing. */
export const renderMail = (report: ReportView, links: ReportLinks): ReportMail => {
  const title = titleOf(report.week, report, report.timeZone, teamOf(report));
  return { subject: title, html: renderHtml(report, title, links), text: renderText(report, title, links) };
};
