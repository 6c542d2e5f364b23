import { readFileSync } from 'node:fs';
import { callerOf, notFound } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { CSV_TYPE } from '../../telephony/index.ts';
import type { DashboardPage } from '../frame.ts';
import { ById, type PageRoutes } from '../pages.ts';
import { loadPerson, type Person } from '../person.ts';
import { CallFilter, toCallQuery } from './call-filter.ts';
import { callPage } from './call-page.ts';
import { callsPage, LIVE_SCRIPT } from './calls-page.ts';
import { callRow } from './calls-table.ts';
import { createLiveCalls } from './live-calls.ts';

const PAGE_LENGTH = 30;
const SCRIPT = readFileSync(new URL('./live.js', import.meta.url), 'utf8');

const SinceQuery = Type.Object({ since: Type.Optional(Type.Integer({ minimum: 0 })) });

const done = {
  demo: 'Demo call started. It will appear in the list.',
  returned: 'The call is marked as returned.',
  reopened: 'The call is no longer marked as returned.',
};

export const callRoutes: PageRoutes = ({ server, page, form }, context) => {
  const { telephony, events, clock } = context;
  const { calls, demo } = telephony;

  const showCalls = async (person: Person, query: CallFilter): Promise<DashboardPage> => {
    const now = clock.now();
    const { team } = person;
    const listed = await calls.list(team.id, toCallQuery(query, team.timeZone), PAGE_LENGTH);
    return callsPage(person, { ...listed, query, hasDemo: demo !== null, now });
  };

  const showCall = async (person: Person, id: string): Promise<DashboardPage> => {
    const story = await calls.getStory(person.team.id, id);
    return callPage(person, story, await events.listAbout(person.team.id, [id]));
  };

  page('/calls', { access: 'member', query: CallFilter, done }, ({ person, query }) => showCalls(person, query));

  page('/calls.csv', { access: 'member', query: CallFilter }, async ({ person, caller, query, reply }) => {
    const { cursor: _, ...filter } = query;
    const lines = await calls.writeCsv(caller, toCallQuery(filter, person.team.timeZone));
    return reply
      .header('content-type', CSV_TYPE)
      .header('content-disposition', 'attachment; filename="calls.csv"')
      .send(lines);
  });

  form(
    '/calls/demo',
    { access: 'admin' },
    async ({ person, actor }) => {
      if (!demo) throw notFound();
      await demo.play(person.team.id, actor);
      return '/calls?done=demo';
    },
    ({ person }) => showCalls(person, {}),
  );

  page('/calls/:id', { access: 'member', params: ById, done }, ({ person, params }) => showCall(person, params.id));

  form(
    '/calls/:id/returned',
    { access: 'member', params: ById },
    async ({ caller, actor, params: { id } }) => {
      await calls.markReturned(caller, actor, { ids: [id], allAttempts: true });
      return `/calls/${id}?done=returned`;
    },
    ({ person, params }) => showCall(person, params.id),
  );

  form(
    '/calls/:id/reopened',
    { access: 'member', params: ById },
    async ({ caller, actor, params: { id } }) => {
      await calls.unmarkReturned(caller, actor, { ids: [id], allAttempts: true });
      return `/calls/${id}?done=reopened`;
    },
    ({ person, params }) => showCall(person, params.id),
  );

  const live = createLiveCalls(context, callRow);
  // Streams never end by themselves, so the server would wait for them.
  server.addHook('preClose', async () => live.close());

  server.get(
    '/calls/live',
    { schema: { hide: true, querystring: SinceQuery }, config: { access: 'member' } },
    async (request, reply) => {
      const { region } = await loadPerson(context, request);
      // A browser that comes back says what it saw last.
      const seen = Number(request.headers['last-event-id'] ?? request.query.since);
      const since = Number.isSafeInteger(seen) ? seen : clock.now();
      const stream = live.open(callerOf(request), since, region);
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
  );

  server.get(`/assets/${LIVE_SCRIPT}`, { schema: { hide: true }, config: { access: 'anyone' } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/javascript; charset=utf-8').send(SCRIPT),
  );
};
