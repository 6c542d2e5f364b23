import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type HourCycle, html, Refusal, Type } from '../../platform/index.ts';
import { renderHeatChart, renderMail, renderOutcomeChart, type ShownReport, weekAt } from '../../reports/index.ts';
import { badNotice } from '../notice.ts';
import type { PageRoutes, Visit } from '../pages.ts';
import type { Person } from '../person.ts';
import { missingWeekPage } from './missing-week-page.ts';
import { reportPage } from './report-page.ts';
import { weeksPage } from './weeks-page.ts';

const WEEKS_LISTED = 26;

const ListQuery = Type.Object({
  before: Type.Optional(Type.String({ pattern: '^2\\d{3}-W\\d{2}$', description: 'a week like 2026-W46' })),
  done: Type.Optional(Type.String({ maxLength: 20 })),
});
const ByWeek = Type.Object({ week: Type.String({ maxLength: 20 }) });

const done = {
  made: "Last week's report is ready.",
  known: "Last week's report already exists.",
  early: "There is no report to create yet: your team's first week isn't over.",
  queued: 'The report is being created. Check back in a minute.',
};
const FAILED = "The report couldn't be created just now. Patchbay will try again automatically.";

type Counts = { created: number; existing: number; queued: number; failed: number };

/** The message after a person has requested missing reports. */
const resultOf = ({ created, existing, queued, failed }: Counts): keyof typeof done | 'failed' => {
  if (failed > 0) return 'failed';
  if (queued > 0) return 'queued';
  if (created > 0) return 'made';
  return existing > 0 ? 'known' : 'early';
};

/**
 * The policy for charts and emails, which contain their own styles. Nothing else may load, and no page may frame them.
 */
const OWN_STYLES = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A bar above the email, which has no menu. Its colors work in light and dark mode. */
const PREVIEW_BAR = html`<p style="margin:0;padding:12px 16px;background-color:#0b5d4e;color:#ffffff;font:16px/1.5 sans-serif">This is what the email looks like. Its link to unsubscribe is a different one for each recipient, so it does nothing here. <a style="color:#ffffff" href="/settings/report">Back to the report's settings</a></p>`;

/**
 * Sends a chart. Browsers have to revalidate it each time, because its URL is the same for a new revision and for
 * another team. It's sent again only if it changed.
 */
const sendDrawing = ({ request, reply }: Pick<Visit, 'request' | 'reply'>, drawing: string): FastifyReply => {
  const etag = `"${hash('sha256', drawing, 'base64url')}"`;
  reply.headers({ 'content-security-policy': OWN_STYLES, 'cache-control': 'private, no-cache', etag });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('image/svg+xml; charset=utf-8').send(drawing);
};

export const reportPageRoutes: PageRoutes = ({ page, form }, { clock, reports, telephony }) => {
  const { listWeeks, showDue, listRecipients, showReport, showDispatches, runReports } = reports;

  page('/reports', { access: 'member', query: ListQuery, done }, async ({ person, query }) => {
    const { team } = person;
    const { before } = query;
    const [listed, recipients, due, isDemo] = await Promise.all([
      listWeeks(team.id, { before, limit: WEEKS_LISTED }),
      listRecipients(team),
      showDue(team),
      telephony.accounts.countsDemoCalls(team.id),
    ]);
    const now = clock.now();
    const shown = weeksPage(person, {
      ...listed,
      before,
      recipients,
      due,
      isDemo,
      now,
      current: weekAt(now, team.timeZone),
    });
    return query.done === 'failed' ? { ...shown, notice: badNotice(FAILED) } : shown;
  });

  form('/reports/run', { access: 'admin' }, async ({ person }) => {
    const run = await runReports({ team: person.team.id, askedBy: 'person' });
    return `/reports?done=${resultOf(run)}`;
  });

  const options = { access: 'member', params: ByWeek } as const;

  const findShown = async (team: Person['team'], week: string): Promise<ShownReport | null> => {
    try {
      return await showReport(team, week);
    } catch (problem) {
      if (problem instanceof Refusal && problem.code === 'reports.report_unknown') return null;
      throw problem;
    }
  };

  page('/reports/:week', options, async ({ person, params }) => {
    const { team } = person;
    const report = await findShown(team, params.week);
    if (!report) return missingWeekPage(person, params.week, clock.now());
    const [{ dispatches, around }, recipients] = await Promise.all([
      showDispatches(team.id, report.week),
      listRecipients(team),
    ]);
    return reportPage(person, { report, dispatches, around, recipients });
  });

  const drawing = (
    name: string,
    render: (figures: ShownReport['figures'], hourCycle: HourCycle) => Promise<string>,
  ): void =>
    page(`/reports/:week/${name}.svg`, options, async (visit) => {
      const { figures } = await showReport(visit.person.team, visit.params.week);
      return sendDrawing(visit, await render(figures, visit.person.region.hourCycle));
    });
  drawing('heat', ({ heat }, hourCycle) => renderHeatChart(heat, hourCycle));
  drawing('outcomes', ({ outcomes }) => renderOutcomeChart(outcomes));

  page('/reports/:week/mail', options, async ({ person, params, reply }) => {
    const report = await showReport(person.team, params.week);
    // The unsubscribe link does nothing here, because each recipient has their own.
    const mail = renderMail(report, { report: `/reports/${report.week}`, unsubscribe: '#' });
    reply.header('content-security-policy', `${OWN_STYLES}; sandbox`);
    return reply
      .type('text/html; charset=utf-8')
      .send(mail.html.replace(/<body[^>]*>/, (body) => `${body}${PREVIEW_BAR}`));
  });
};
