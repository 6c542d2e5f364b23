import { type Html, html } from '../../platform/index.ts';
import {
  daysOfWeek,
  type Recipients,
  remarksOf,
  type Section,
  type SectionId,
  type ShownDispatch,
  type ShownReport,
  sectionsOf,
  spanOf,
  titleOf,
} from '../../reports/index.ts';
import { momentInText } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import type { Region } from '../display/region.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { heatFigure, outcomesFigure } from './charts.ts';
import { dispatchesSection } from './dispatches-section.ts';
import { headlines } from './headlines.ts';
import { sectionSheet } from './section-sheet.ts';
import { waitingSection } from './waiting-section.ts';

type ReportPageView = {
  report: ShownReport;
  dispatches: readonly ShownDispatch[];
  around: { previous: string | null; next: string | null };
  recipients: Recipients;
};

const steps = ({ previous, next }: ReportPageView['around'], timeZone: string): Html | null => {
  const nameOf = (week: string): string => daysOfWeek(spanOf(week, timeZone), timeZone);
  return previous === null && next === null
    ? null
    : html`<nav class="steps" aria-label="Weeks">${previous && html`<a href="/reports/${previous}" rel="prev">← ${nameOf(previous)}</a>`}${next && html`<a href="/reports/${next}" rel="next">${nameOf(next)} →</a>`}</nav>`;
};

const madeLine = (report: ShownReport, region: Region): Html => {
  const { week, revision, createdAt, demoCalls, dueAt, timeZone, isOver, predatesTeam } = report;
  return html`<p class="lead">${demoCalls === 'counted' && html`${pill('none', 'Demo data')} `}${remarksOf(report).map((remark) => html`${remark} `)}${
    !isOver
      ? html`Counted just now. The report will be ready ${momentInText(dueAt, region)}.`
      : revision === 1
        ? html`Created ${momentInText(createdAt, region)}.`
        : html`<strong>Revision ${revision}</strong>: something came in late, so the week was counted again ${momentInText(createdAt, region)}. Reports sent before that have the earlier figures.`
  } ${predatesTeam && 'This week ended before your team was created, so the report is sent to no one. '}Times are in ${timeZone}. <a href="/reports/${week}/mail">View the email</a></p>`;
};

/** The sections without a chart, in order. */
const OTHERS: readonly SectionId[] = ['calls', 'waits', 'callers', 'numbers', 'recordings', 'quality', 'integrations'];

export const reportPage = (
  person: Person,
  { report, dispatches, around, recipients }: ReportPageView,
): DashboardPage => {
  const sections = new Map<SectionId, Section>(
    sectionsOf(report, person.region.hourCycle).map((section) => [section.id, section]),
  );
  const sheet = (id: SectionId): Html | undefined => {
    const section = sections.get(id);
    return section && sectionSheet(section);
  };
  // The section beside the chart of hours, below the chart of outcomes. Together with the chart above it, this section
  // is about as tall as the chart of hours.
  const beside = sections.has('hours') ? 'hours' : 'waits';
  const { week, startsAt, endsAt, timeZone, figures } = report;
  const region = { ...person.region, timeZone };
  return {
    title: titleOf(week, { startsAt, endsAt }, timeZone),
    content: html`${steps(around, timeZone)}
<div class="report">
${madeLine(report, region)}
${headlines(report)}
<div class="sheets">
${heatFigure(week, figures, region.hourCycle)}
<div class="stack-sheets">
${outcomesFigure(week, figures, sections.get('outcomes'))}
${sheet(beside)}
</div>
</div>
${waitingSection(sections.get('waiting')?.rows ?? [], { isOver: report.isOver, region })}
<div class="sheets">
${OTHERS.filter((id) => id !== beside).map(sheet)}
</div>
${report.isOver && dispatchesSection(dispatches, recipients, region)}
</div>`,
  };
};
