import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { type EnteredFilter, isByCaller, isOldestFirst, toCallQuery } from './call-filter.ts';
import { callPage } from './call-page.ts';
import { callsPage } from './calls-page.ts';
import { MOST_NUMBERS } from './filter-menus.ts';

const PAGE_LENGTH = 30;

/** Builds the pages of calls. Several routes share them. */
export const createCallPresenter = ({ telephony, events, integrations, clock, url }: DashboardContext) => {
  const { calls, demo } = telephony;
  return {
    async showCalls(person: Person, query: EnteredFilter): Promise<DashboardPage> {
      const now = clock.now();
      const { id: teamId, timeZone } = person.team;
      const wish = toCallQuery(query, timeZone);
      const [listed, waiting, numbers, hasSimulated] = await Promise.all([
        isByCaller(query)
          ? calls.showWaiting(teamId, { ...wish, order: isOldestFirst(query) ? 'oldest' : 'newest' }, PAGE_LENGTH)
          : calls.show(teamId, wish, PAGE_LENGTH),
        calls.countWaiting(teamId),
        telephony.numbers.list(teamId, { limit: MOST_NUMBERS }),
        telephony.accounts.hasSimulatedCalls(teamId),
      ]);
      return callsPage(person, {
        ...{ ...listed, query, waiting, numbers: numbers.rows, hasSimulated, now },
        hasDemo: demo !== null,
      });
    },
    async showCall(person: Person, id: string): Promise<DashboardPage> {
      const story = await calls.getStory(person.team.id, id);
      const history = await events.listAbout(person.team.id, [id]);
      const nameOf = (provider: string): string => integrations.findProviderName(provider) ?? provider;
      return callPage(person, story, { history, nameOf, address: `${url}/calls/${encodeURIComponent(id)}` });
    },
  };
};
