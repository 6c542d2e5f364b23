import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { renderHeatChart, renderMail, renderOutcomeChart, weekAt } from '../../reports/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { ADMIN_PAGE, PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { reportPage } from './report-page.ts';
import { runResultOf, weeksPage } from './weeks-page.ts';

const WEEKS_LISTED = 26;

const ListQuery = Type.Object({
  before: Type.Optional(Type.String({ pattern: '^2\\d{3}-W\\d{2}$' })),
  done: Type.Optional(Type.String({ maxLength: 20 })),
});
const ByWeek = Type.Object({ week: Type.String({ maxLength: 20 }) });

/** Charts and emails carry their own styles. Nothing else is allowed, and no one may frame them. */
const OWN_STYLES = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Revalidated each time, since another revision or another person's week has the same URL; sent only if it changed. */
const sendDrawing = (request: FastifyRequest, reply: FastifyReply, drawing: string): FastifyReply => {
  const etag = `"${hash('sha256', drawing, 'base64url')}"`;
  reply.headers({ 'content-security-policy': OWN_STYLES, 'cache-control': 'private, no-cache', etag });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('image/svg+xml; charset=utf-8').send(drawing);
};

export const reportPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { clock } = dependencies;
    const { listWeeks, showDue, listRecipients, showReport, showDispatches, runReports } = dependencies.reports;

    server.get('/reports', { schema: { hide: true, querystring: ListQuery }, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const { before, done } = request.query;
      const [listed, recipients, due] = await Promise.all([
        listWeeks(person.team.id, { before, limit: WEEKS_LISTED }),
        listRecipients(person.team),
        showDue(person.team),
      ]);
      const now = clock.now();
      const current = weekAt(now, person.team.timeZone);
      const view = { ...listed, before, done, recipients, due, now, current };
      return showPage(reply, person, 'reports', weeksPage(person, view));
    });

    server.post('/reports/run', { schema: { hide: true }, config: ADMIN_PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const run = await runReports({ team: person.team.id, askedBy: 'person' });
      return reply.redirect(`/reports?done=${runResultOf(run)}`, 303);
    });

    const schema = { hide: true, params: ByWeek };

    server.get('/reports/:week', { schema, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const report = await showReport(person.team, request.params.week);
      const [{ dispatches, around }, recipients] = await Promise.all([
        showDispatches(person.team.id, report.week),
        listRecipients(person.team),
      ]);
      return showPage(reply, person, 'reports', reportPage({ report, dispatches, around, recipients }));
    });

    server.get('/reports/:week/heat.svg', { schema, config: PAGE }, async (request, reply) => {
      const { team } = await loadPerson(dependencies, request);
      const { figures } = await showReport(team, request.params.week);
      return sendDrawing(request, reply, await renderHeatChart(figures.heat));
    });

    server.get('/reports/:week/outcomes.svg', { schema, config: PAGE }, async (request, reply) => {
      const { team } = await loadPerson(dependencies, request);
      const { figures } = await showReport(team, request.params.week);
      return sendDrawing(request, reply, await renderOutcomeChart(figures.outcomes));
    });

    server.get('/reports/:week/mail', { schema, config: PAGE }, async (request, reply) => {
      const { team } = await loadPerson(dependencies, request);
      const report = await showReport(team, request.params.week);
      // Each recipient has their own unsubscribe link, so here it leads nowhere.
      const { html } = renderMail(report, { report: `/reports/${report.week}`, unsubscribe: '#' });
      reply.header('content-security-policy', `${OWN_STYLES}; sandbox`);
      return reply.type('text/html; charset=utf-8').send(html);
    });
  };
