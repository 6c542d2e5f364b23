import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, notFound, type Routes } from '../../http/index.ts';
import { type Html, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { CSV_TYPE } from '../../telephony/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { attempt, problemNotice } from '../form.ts';
import { doneNotice } from '../notice.ts';
import { ADMIN_PAGE, PAGE } from '../page-route.ts';
import { loadPerson, type Person } from '../person.ts';
import { showPage } from '../show-page.ts';
import { ListQuery, toCallQuery } from './call-filter.ts';
import { callPage } from './call-page.ts';
import { callRow } from './call-row.ts';
import { callsPage, LIVE_SCRIPT } from './calls-page.ts';
import { createLiveCalls } from './live-calls.ts';

const PAGE_LENGTH = 30;
const SCRIPT = readFileSync(new URL('./live.js', import.meta.url), 'utf8');

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });
const DoneQuery = Type.Object({ done: Type.Optional(Type.String({ maxLength: 40 })) });
const SinceQuery = Type.Object({ since: Type.Optional(Type.Integer({ minimum: 0 })) });

const DONE = {
  demo: 'Demo call started. It will appear in the list.',
  returned: 'The call is marked as returned.',
} as const;

export const callPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { telephony, clock } = dependencies;
    const { calls, demo } = telephony;
    const live = createLiveCalls(dependencies);
    // Streams never end by themselves, so the server would wait for them.
    server.addHook('preClose', async () => live.close());

    const showCalls = async (
      reply: FastifyReply,
      person: Person,
      query: ListQuery,
      { notice, status = 200 }: { notice: Html | null; status?: number },
    ): Promise<FastifyReply> => {
      const now = clock.now();
      const { team } = person;
      const listed = await calls.list(team.id, toCallQuery(query, team.timeZone), PAGE_LENGTH);
      const view = { ...listed, query, hasDemo: demo !== null, now, notice };
      return showPage(reply, person, 'calls', callsPage(person, view), status);
    };

    server.get('/calls', { schema: { hide: true, querystring: ListQuery }, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      return showCalls(reply, person, request.query, { notice: doneNotice(DONE, request.query.done) });
    });

    server.get(
      '/calls.csv',
      { schema: { hide: true, querystring: ListQuery }, config: PAGE },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        const { cursor: _, ...query } = request.query;
        const lines = await calls.writeCsv(callerOf(request), toCallQuery(query, team.timeZone));
        return reply
          .header('content-type', CSV_TYPE)
          .header('content-disposition', 'attachment; filename="calls.csv"')
          .send(lines);
      },
    );

    server.get(
      '/calls/live',
      { schema: { hide: true, querystring: SinceQuery }, config: { access: 'member' } },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        // A browser that comes back says what it saw last.
        const seen = Number(request.headers['last-event-id'] ?? request.query.since);
        const since = Number.isSafeInteger(seen) ? seen : clock.now();
        const stream = live.open(callerOf(request), since, (call) => callRow(call, team.timeZone));
        return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
      },
    );

    server.get(`/assets/${LIVE_SCRIPT}`, { schema: { hide: true }, config: { access: 'anyone' } }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').type('text/javascript; charset=utf-8').send(SCRIPT),
    );

    server.post('/calls/demo', { schema: { hide: true }, config: ADMIN_PAGE }, async (request, reply) => {
      if (!demo) throw notFound();
      const person = await loadPerson(dependencies, request);
      const played = await attempt(() => demo.play(person.team.id, actorOf(request)));
      if (played.ok) return reply.redirect('/calls?done=demo', 303);
      const { problem } = played;
      return showCalls(reply, person, {}, { notice: problemNotice(problem), status: problem.status });
    });

    const showCall = async (
      reply: FastifyReply,
      request: FastifyRequest,
      id: string,
      { notice, status = 200 }: { notice: Html | null; status?: number },
    ): Promise<FastifyReply> => {
      const person = await loadPerson(dependencies, request);
      const story = await calls.getStory(person.team.id, id);
      return showPage(reply, person, 'calls', callPage(person, story, notice), status);
    };

    server.get(
      '/calls/:id',
      { schema: { hide: true, params: ById, querystring: DoneQuery }, config: PAGE },
      async (request, reply) =>
        showCall(reply, request, request.params.id, { notice: doneNotice(DONE, request.query.done) }),
    );

    server.post(
      '/calls/:id/returned',
      { schema: { hide: true, params: ById }, config: PAGE },
      async (request, reply) => {
        const { id } = request.params;
        const marked = await attempt(() => calls.markReturned(callerOf(request), actorOf(request), id));
        if (marked.ok) return reply.redirect(`/calls/${id}?done=returned`, 303);
        const { problem } = marked;
        if (problem.status === 404) throw problem;
        return showCall(reply, request, id, { notice: problemNotice(problem), status: problem.status });
      },
    );
  };
