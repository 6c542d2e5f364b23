import { giveWay } from '../../platform/index.ts';
import { getTeam, listTeamsAfter, type Team } from '../../teams/index.ts';
import { teamUnknown } from '../errors.ts';
import type { ReportsContext } from '../week/context.ts';

/** All teams after this one, by id, or a single team. */
export const eachPageOfTeams = async function* (
  { database }: Pick<ReportsContext, 'database'>,
  { team: id, after }: { team: string | null; after: string },
  limit: number,
): AsyncGenerator<Team[], undefined> {
  if (id !== null) {
    const team = await getTeam(database, id);
    if (!team) throw teamUnknown();
    yield [team];
    return;
  }
  for (let page = await listTeamsAfter(database, after, limit); page.length > 0; ) {
    yield page;
    await giveWay();
    page = await listTeamsAfter(database, page.at(-1)?.id ?? '', limit);
  }
};
