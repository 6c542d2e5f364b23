import type { LogStretch } from '../../events/index.ts';
import { outdateLogsOfRecordings, putEndedCalls } from '../people/log-store.ts';
import { makeDueForLookup } from '../people/person-store.ts';
import type { CrmsContext } from './context.ts';
import { getPeoplePlace, movePeoplePlace } from './place-store.ts';

/** How many events are handled in one transaction. */
const STRETCH = 200;
const TYPES = ['call.started', 'call.ended', 'recording.ready'] as const;

type News = LogStretch['news'];
type Settings = Awaited<ReturnType<CrmsContext['people']['listOfTeams']>>[number];

/** Whether an event is from after something was turned on. */
const isAfter = (
  { position, createdAt }: News[number],
  { after, since }: { after: number | null; since: number | null },
): boolean => after !== null && since !== null && position > after && createdAt >= since;

const planLookups = (news: News, settings: ReadonlyMap<string, Settings[]>) =>
  news
    .filter(
      (event) =>
        event.type === 'call.started' &&
        settings
          .get(event.teamId)
          ?.some(({ lookupAfter: after, lookupSince: since }) => isAfter(event, { after, since })),
    )
    .map(({ teamId, subject: callId }) => ({ teamId, callId }));

const planLogs = (news: News, settings: ReadonlyMap<string, Settings[]>, takesDemo: (provider: string) => boolean) =>
  news.flatMap((event) =>
    event.type !== 'call.ended'
      ? []
      : (settings.get(event.teamId) ?? [])
          .filter(({ logAfter: after, logSince: since }) => isAfter(event, { after, since }))
          .map(({ connectionId, provider }) => ({
            ...{ teamId: event.teamId, callId: event.subject, connectionId, position: event.position },
            takesDemo: takesDemo(provider) ? 1 : 0,
          })),
  );

const planChanges = (news: News, settings: ReadonlyMap<string, Settings[]>) =>
  news
    .filter(({ type, teamId }) => type === 'recording.ready' && settings.has(teamId))
    .map(({ teamId, subject: recordingId }) => ({ teamId, recordingId }));

/** Handles the next part of the log, and moves on in the same transaction. Returns whether there is more. */
const readOn = async (context: CrmsContext, after: number): Promise<boolean> => {
  const { database, clock, people, followNews } = context;
  const { news, upTo, hasMore } = await followNews({ after, types: TYPES, most: STRETCH });
  if (upTo <= after) return false;
  const teamIds = [...new Set(news.map(({ teamId }) => teamId))];
  const settings = Map.groupBy(teamIds.length > 0 ? await people.listOfTeams(teamIds) : [], ({ teamId }) => teamId);
  const lookups = planLookups(news, settings);
  const logs = planLogs(news, settings, people.takesDemo);
  const changes = planChanges(news, settings);
  await database.transaction(async (tx) => {
    if ((await movePeoplePlace(tx, after, upTo)) === 0) return;
    const now = clock.now();
    await makeDueForLookup(tx, lookups, now);
    await putEndedCalls(tx, logs, now);
    await outdateLogsOfRecordings(tx, changes, now);
  });
  return hasMore;
};

/**
 * Follows the log of events with a place of its own: calls that begin make their numbers due for a lookup, and calls that
 * end are logged. Each event is handled once, whatever happens to the process. While nobody has turned anything on, the
 * place stays where it is, and then skips what happened until then.
 */
export const createFollower = (context: CrmsContext) => {
  const { database, people } = context;
  let isFollowing = false;

  const begin = async (): Promise<boolean> => {
    const first = await people.findFirstPosition();
    if (first === null) return false;
    const place = await getPeoplePlace(database);
    if (first > place) await database.transaction((tx) => movePeoplePlace(tx, place, first));
    return true;
  };

  return async (): Promise<boolean> => {
    isFollowing = (await people.isAnythingOn()) && (isFollowing || (await begin()));
    if (!isFollowing) return false;
    while (await readOn(context, await getPeoplePlace(database)));
    return true;
  };
};
