import { giveWay } from '../../platform/index.ts';
import { getTeam, listTeamsAfter, type Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { reportTeamUnknown } from '../errors.ts';

/** Small enough that reading a page doesn't delay other work noticeably. */
const PAGE = 50;

/** Reads the teams after `after`, in the order of their IDs, page by page. If `team` is set, reads only that team. */
export const eachPageOfTeams = async function* (
  { database }: Pick<ReportsContext, 'database'>,
  { team: id, after }: { team: string | null; after: string },
): AsyncGenerator<Team[], undefined> {
  if (id !== null) {
    const team = await getTeam(database, id);
    if (!team) throw reportTeamUnknown();
    yield [team];
    return;
  }
  for (let page = await listTeamsAfter(database, after, PAGE); page.length > 0; ) {
    yield page;
    await giveWay();
    page = await listTeamsAfter(database, page.at(-1)?.id ?? '', PAGE);
  }
};
