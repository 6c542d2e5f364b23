import { callerOf, type Routes, routeOptions, withRight } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import type { LogScope } from './cursor.ts';
import { EVENT_TYPES, OPERATOR_ONLY } from './event.ts';
import { EventView, narrowEvent } from './event-view.ts';
import type { LogQuery } from './follow-log.ts';

type Log = {
  followLog(scope: LogScope, query: LogQuery): Promise<{ events: EventView[]; nextCursor: string }>;
};

const forMembers = routeOptions('member', 'events');
const forOperator = routeOptions({ door: 'operator', whenUnset: 'hide' }, 'operator');

const queryWith = (types: readonly string[]) =>
  Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The id of an event, or `nextCursor` from the last response. Default: start with the oldest',
        }),
      ),
      type: Type.Optional(Type.Enum([...types])),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    },
    { additionalProperties: false },
  );

const response = {
  200: Type.Object({
    events: Type.Array(EventView),
    nextCursor: Type.String({ description: '`after` for what comes next, also if nothing has happened yet' }),
  }),
};

const description =
  'Oldest first, complete, and kept for 30 days. To follow the log, call this again with `after` set to `nextCursor`.';

export const logRoutes =
  ({ followLog }: Log): Routes =>
  (server) => {
    server.get(
      '/api/events',
      withRight(
        'events',
        forMembers({
          summary: 'List what happened',
          description,
          querystring: queryWith(EVENT_TYPES.filter((type) => type !== OPERATOR_ONLY)),
          response,
        }),
      ),
      async (request) => {
        const { teamId, restriction } = callerOf(request);
        const { events, nextCursor } = await followLog({ teamId }, request.query as LogQuery);
        return { events: events.map((event) => narrowEvent(event, restriction)), nextCursor };
      },
    );

    server.get(
      '/api/operator/events',
      forOperator({
        summary: 'List what happened in the teams of your customers',
        description,
        querystring: queryWith(EVENT_TYPES),
        response,
      }),
      (request) => followLog(null, request.query as LogQuery),
    );
  };
