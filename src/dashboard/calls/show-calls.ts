import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { type CallFilter, filterOf, toCallQuery } from './call-filter.ts';
import { callPage } from './call-page.ts';
import { callsPage } from './calls-page.ts';

const PAGE_LENGTH = 30;

/** Nothing else is filtered, so each caller is listed once. */
const isByCaller = (query: CallFilter): boolean =>
  query.waiting === '1' && filterOf(query).every(([name]) => name === 'waiting' || name === 'search');

/** The pages of calls, for whichever route shows them. */
export const createCallPages = ({ telephony, events, clock }: DashboardContext) => {
  const { calls, demo } = telephony;
  return {
    async showCalls(person: Person, query: CallFilter): Promise<DashboardPage> {
      const now = clock.now();
      const { id: teamId, timeZone } = person.team;
      const wish = toCallQuery(query, timeZone);
      const [listed, waiting, hasSimulated] = await Promise.all([
        isByCaller(query) ? calls.showWaiting(teamId, wish, PAGE_LENGTH) : calls.show(teamId, wish, PAGE_LENGTH),
        calls.countWaiting(teamId),
        telephony.accounts.hasSimulatedCalls(teamId),
      ]);
      return callsPage(person, { ...listed, query, waiting, hasDemo: demo !== null, hasSimulated, now });
    },
    async showCall(person: Person, id: string): Promise<DashboardPage> {
      const story = await calls.getStory(person.team.id, id);
      return callPage(person, story, await events.listAbout(person.team.id, [id]));
    },
  };
};

export type CallPages = ReturnType<typeof createCallPages>;
