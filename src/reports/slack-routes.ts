import { callerOf, type Routes, routeOptions } from '../http/index.ts';
import { Type, toIso } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import type { Reports } from './reports.ts';

const AddressView = Type.Object(
  {
    configured: Type.Boolean(),
    host: Type.Union([Type.String(), Type.Null()]),
    setBy: Type.Union([Type.Object({ id: Type.String(), label: Type.String() }), Type.Null()]),
    setAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'SlackAddress' },
);

export const slackRoutes =
  ({ slack }: Reports): Routes =>
  (server) => {
    const options = routeOptions('admin', 'reports');

    const viewAddress = async (teamId: string) => {
      const address = await slack.show(teamId);
      if (!address) return { configured: false, host: null, setBy: null, setAt: null };
      return { configured: true, ...address, setAt: toIso(address.setAt) };
    };

    server.get(
      '/api/reports/slack',
      options({
        summary: 'Show where the report is posted in Slack',
        description: 'Never returns the webhook URL itself: anyone who has it can post to the channel.',
        response: { 200: AddressView },
      }),
      async (request) => viewAddress(callerOf(request).teamId),
    );

    server.put(
      '/api/reports/slack',
      options({
        summary: 'Post the weekly report to Slack',
        description:
          'Takes an incoming webhook URL, which is write-only. Reports from the last seven days that Slack refused are sent to it.',
        body: Type.Object(
          { url: Type.String({ minLength: 1, maxLength: 2_000, examples: ['https://hooks.slack.com/services/…'] }) },
          { additionalProperties: false },
        ),
        response: { 200: AddressView },
      }),
      async (request) => {
        const caller = callerOf(request);
        await slack.set(caller, request.body.url, actorOf(request));
        return viewAddress(caller.teamId);
      },
    );

    server.delete(
      '/api/reports/slack',
      options({ summary: 'Stop posting reports to Slack', response: { 204: Type.Null() } }),
      async (request, reply) => {
        await slack.remove(callerOf(request).teamId, actorOf(request));
        return reply.code(204).send(null);
      },
    );

    server.post(
      '/api/reports/slack/test',
      options({
        summary: 'Send a test message to Slack',
        description: 'If Slack refuses it, returns 502 `reports.slack_refused` with the reason and what to do.',
        response: { 200: Type.Object({ delivered: Type.Literal(true) }) },
      }),
      async (request) => {
        await slack.sendTest(callerOf(request).teamId, actorOf(request));
        return { delivered: true as const };
      },
    );
  };
