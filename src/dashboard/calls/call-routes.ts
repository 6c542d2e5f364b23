import { addAsset, callerOf, notFound, sendCsv } from '../../http/index.ts';
import { html, Type } from '../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../pages.ts';
import { loadPerson, type Person } from '../person.ts';
import { refusalOf } from '../refusal-of.ts';
import { callsAddress, EnteredFilter, toCallQuery } from './call-filter.ts';
import { CALL_SCRIPTS } from './call-scripts.ts';
import { whoInText } from './call-words.ts';
import { callRow } from './calls-table.ts';
import { createLiveCalls } from './live-calls.ts';
import { returnedNotice } from './returned-notice.ts';
import { createCallPresenter } from './show-calls.ts';

/** The query of the list, with the IDs of calls that were just marked as returned. */
const ListQuery = Type.Object({
  ...EnteredFilter.properties,
  marked: Type.Optional(Type.String({ maxLength: 6_000, pattern: '^[\\w-]+( [\\w-]+)*$' })),
});

const SinceQuery = Type.Object({ since: Type.Optional(Type.Integer({ minimum: 0 })) });

const done = {
  demo: 'Demo call started. It will appear in the list.',
  demo_playing: 'A demo call is already under way. Play another one when it is over, in a few seconds.',
  demo_removed: 'All demo calls are removed.',
  returned: 'Marked as returned.',
  reopened: 'Undone. It needs a call back again.',
  none: 'Select the callers first.',
};

export const callPageRoutes: PageRoutes = ({ server, page, form, confirm }, context) => {
  const { telephony, clock } = context;
  const { calls, demo } = telephony;
  const { showCalls, showCall } = createCallPresenter(context);
  for (const script of CALL_SCRIPTS) addAsset(server, script);

  /** The caller's name, if only one call was marked. Null if the ID in the URL isn't a call of the team. */
  const findName = async ({ team, region }: Person, ids: readonly string[]): Promise<string | null> => {
    const [id, ...more] = ids;
    if (id === undefined || more.length > 0) return null;
    const names: string[] = [];
    await refusalOf(async () => names.push(whoInText((await calls.getStory(team.id, id)).call, region)));
    return names[0] ?? null;
  };

  page(
    '/calls',
    { access: 'member', query: ListQuery, done },
    async ({ person, query: { marked, ...query }, request }) => {
      const shown = await showCalls(person, query);
      // Only show the notice if the URL has `done`. A script removes it, so that a reloaded page doesn't repeat the
      // notice.
      const { done: what } = request.query as { done?: string };
      if (what !== 'returned' || !marked) return shown;
      const back = callsAddress('/calls', query, query.cursor);
      const ids = marked.split(' ');
      return { ...shown, notice: returnedNotice(person, { ids, name: await findName(person, ids) }, back) };
    },
  );

  page('/calls.csv', { access: 'member', query: EnteredFilter }, async ({ person, caller, query, reply }) => {
    const { cursor: _, ...filter } = query;
    const lines = await calls.writeCsv(caller, toCallQuery(filter, person.team.timeZone), { columns: 'words' });
    return sendCsv(reply, 'calls', lines);
  });

  form(
    '/calls/demo',
    { access: 'admin' },
    async ({ person, actor }) => {
      if (!demo) throw notFound();
      return (await demo.play(person.team.id, actor)) ? '/calls?done=demo' : '/calls?done=demo_playing';
    },
    ({ person }) => showCalls(person, {}),
  );

  confirm(
    '/calls/demo/remove',
    { access: 'admin' },
    async ({ person }) =>
      (await telephony.accounts.hasSimulatedCalls(person.team.id))
        ? {
            title: 'Remove demo calls',
            content: html`<p>This removes all demo calls and their recordings, and the simulated account with its number. Your other calls stay.</p>`,
            button: 'Remove demo calls',
            back: '/calls',
          }
        : '/calls',
    async ({ person, actor }) => {
      await telephony.accounts.removeSimulated(person.team.id, actor);
      return '/calls?done=demo_removed';
    },
  );

  page('/calls/:id', { access: 'member', params: ByPageId, done }, ({ person, params }) => showCall(person, params.id));

  const live = createLiveCalls(context, callRow);
  // Close the streams before the server closes. They never end by themselves, so it would wait for them forever.
  server.addHook('preClose', async () => live.close());

  server.get(
    '/calls/live',
    { schema: { hide: true, querystring: SinceQuery }, config: { access: 'member' } },
    async (request, reply) => {
      const { region } = await loadPerson(context, request);
      // A browser that reconnects sends the ID of the last event it got.
      const seen = Number(request.headers['last-event-id'] ?? request.query.since);
      const since = Number.isSafeInteger(seen) ? seen : clock.now();
      const stream = live.open(callerOf(request), since, region);
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
  );
};
