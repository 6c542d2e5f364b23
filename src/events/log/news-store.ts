import type { Queries } from '../../platform/index.ts';
import type { EventType } from './event.ts';

/** The part of an event that followers of the log need, without its data, which may be large. */
export type News = {
  id: string;
  teamId: string;
  type: EventType;
  subject: string;
  createdAt: number;
  position: number;
};

/** Finds where the next `events` events end, or `upTo` if there are fewer. Positions may have large gaps. */
export const findStretchEnd = async (
  queries: Queries,
  { after, upTo }: { after: number; upTo: number },
  events: number,
): Promise<number> => {
  const last = await queries.get<{ position: number }>(
    'select position from events where position > $1 and position <= $2 order by position limit 1 offset $3',
    [after, upTo, events - 1],
  );
  return last?.position ?? upTo;
};

/** Events of these types in a part of the log, in order. */
export const listNews = (
  queries: Queries,
  { after, upTo }: { after: number; upTo: number },
  types: readonly EventType[],
): Promise<News[]> =>
  queries.all<News>(
    `select id, team_id as "teamId", type, subject, created_at as "createdAt", position from events
      where position > $1 and position <= $2 and type in (${types.map((_, index) => `$${index + 3}`).join(', ')})
      order by position`,
    [after, upTo, ...types],
  );
