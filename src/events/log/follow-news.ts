import type { EventsContext } from '../context.ts';
import type { EventType } from './event.ts';
import { getLogEnds } from './log-store.ts';
import { findStretchEnd, listNews, type News } from './news-store.ts';
import { numberEvents } from './number-events.ts';

/** A part of the log: its news, where it ends, and whether there is more. */
export type LogStretch = { news: News[]; upTo: number; hasMore: boolean };

/**
 * Reads what happened after a position, for followers inside the service. Each keeps its own position, and moves it in
 * the transaction of what it does.
 */
export const followNews = async (
  context: EventsContext,
  { after, types, most }: { after: number; types: readonly EventType[]; most: number },
): Promise<LogStretch> => {
  const { database } = context;
  await numberEvents(context);
  const { position: end } = await getLogEnds(database);
  if (after >= end) return { news: [], upTo: after, hasMore: false };
  const upTo = await findStretchEnd(database, { after, upTo: end }, most);
  return { news: await listNews(database, { after, upTo }, types), upTo, hasMore: upTo < end };
};
