import { callerOf, type Routes } from '../../../http/index.ts';
import { Refusal, Type } from '../../../platform/index.ts';
import { actorOf } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt } from '../../form.ts';
import { ADMIN_PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { showReportSettings } from './show-report-settings.ts';
import { removeSlackPage } from './slack-part.ts';

const SlackBody = Type.Object({ url: Type.String({ maxLength: 2_000 }) });

/** A test is there to find out whether Slack refuses, so that is not a failure of ours. */
const refusalOf = async (work: Promise<void>): Promise<Refusal | null> => {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

export const slackPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { slack } = dependencies.reports;

    server.post(
      '/settings/report/slack',
      { schema: { hide: true, body: SlackBody }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const setting = await attempt(() => slack.set(callerOf(request), request.body.url.trim(), actorOf(request)));
        if (setting.ok) return reply.redirect('/settings/report?done=slack-set', 303);
        return showReportSettings(dependencies, reply, person, { problem: setting.problem });
      },
    );

    server.post(
      '/settings/report/slack/test',
      { schema: { hide: true }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const problem = await refusalOf(slack.sendTest(person.team.id, actorOf(request)));
        if (!problem) return reply.redirect('/settings/report?done=slack-tested', 303);
        return showReportSettings(dependencies, reply, person, { problem });
      },
    );

    server.get(
      '/settings/report/slack/remove',
      { schema: { hide: true }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        return showPage(reply, person, 'settings', removeSlackPage(person));
      },
    );

    server.post(
      '/settings/report/slack/remove',
      { schema: { hide: true }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        await slack.remove(person.team.id, actorOf(request));
        return reply.redirect('/settings/report?done=slack-removed', 303);
      },
    );
  };
