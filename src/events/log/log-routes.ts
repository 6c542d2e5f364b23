import type { Static } from 'typebox';
import { callerOf, type Routes, routeOptions, withRight } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import type { LogScope } from './cursor.ts';
import { choicesOfLog, OfProvider } from './event-filter.ts';
import { EventView } from './event-view.ts';
import type { LogQuery } from './follow-log.ts';
import { narrowEvents } from './narrow-event.ts';

type Log = {
  followLog(scope: LogScope, query: LogQuery): Promise<{ events: EventView[]; nextCursor: string }>;
};

const forMembers = routeOptions('member', 'events');
const forOperator = routeOptions({ door: 'operator', whenUnset: 'hide' }, 'operator');

const queryFor = (types: readonly string[]) =>
  Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The id of an event, or `nextCursor` from the last response. Default: start with the oldest',
        }),
      ),
      type: Type.Optional(
        Type.Union([Type.Enum([...types]), OfProvider], {
          description:
            "A type, a group, `*` for all but the events at connected accounts, or one provider's events, like `provider.event:github` or `provider.event:github/issues`",
        }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    },
    { additionalProperties: false },
  );

type Query = Static<ReturnType<typeof queryFor>>;

const toLogQuery = ({ type, ...query }: Query): LogQuery => ({ ...query, types: type === undefined ? type : [type] });

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
          querystring: queryFor(choicesOfLog(false)),
          response,
        }),
      ),
      async (request) => {
        const { teamId, restriction } = callerOf(request);
        const { events, nextCursor } = await followLog({ teamId }, toLogQuery(request.query));
        const isOfProvider = request.query.type?.includes(':') ?? false;
        return { events: narrowEvents(events, restriction, { isOfProvider }), nextCursor };
      },
    );

    server.get(
      '/api/operator/events',
      forOperator({
        summary: 'List what happened in the teams of your customers',
        description,
        querystring: queryFor(choicesOfLog(true)),
        response,
      }),
      (request) => followLog(null, toLogQuery(request.query)),
    );
  };
