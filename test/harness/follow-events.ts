import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import type { EventType } from '../../src/events/index.ts';
import type { Server } from '../../src/http/index.ts';

export type FollowedEvent = {
  id: string;
  type: EventType;
  sequence: number;
  team: { id: string; key: string | null };
  data: Readonly<Record<string, unknown>>;
};

/** Follows a log from where it is now, as a caller does. */
export const followEvents = async (server: Server, headers: Record<string, string>, path = '/api/events') => {
  let after = '';
  const next = async (): Promise<FollowedEvent[]> => {
    const found: FollowedEvent[] = [];
    for (let page: FollowedEvent[] | null = null; page === null || page.length === 100; ) {
      const query = new URLSearchParams({ limit: '100', ...(after && { after }) });
      const answer = await server.inject({ url: `${path}?${query}`, headers });
      assert.equal(answer.statusCode, 200, answer.body);
      const { events, nextCursor }: { events: FollowedEvent[]; nextCursor: string } = answer.json();
      page = events;
      after = nextCursor;
      found.push(...page);
    }
    return found;
  };
  /** What had happened before. */
  const all = await next();
  return {
    all,
    /** What happened since the last time. */
    next,
    nextTypes: async (): Promise<EventType[]> => (await next()).map(({ type }) => type),
  };
};

/** Until `mend`, every transaction does its work and is rolled back. */
export const breakTransactions = ({ database }: Pick<App, 'database'>) => {
  const { transaction } = database;
  const broken: typeof transaction = (work) =>
    transaction(async (tx) => {
      await work(tx);
      throw new Error('The transaction was rolled back.');
    });
  Object.assign(database, { transaction: broken });
  return { mend: (): void => void Object.assign(database, { transaction }) };
};
