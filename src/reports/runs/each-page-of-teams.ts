import { giveWay } from '../../platform/index.ts';
import { getTeam, listTeamsAfter, type Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { reportTeamUnknown } from '../errors.ts';

/** Few enough that others don't notice the time that a page takes. */
const PAGE = 50;

/** All teams after this one, by id, or a single team. */
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
