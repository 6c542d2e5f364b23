import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { apiRoute } from '../catalogue/schemas.ts';
import { ConnectionName } from '../connections/connection-name.ts';
import type { ListedRequest, RequestQuery } from './list-requests.ts';
import { UsedCredential, viewRequest } from './request-view.ts';

const Moment = Type.Optional(Type.String({ format: 'date-time', maxLength: 40 }));

type List = (
  teamId: string,
  query: RequestQuery,
) => Promise<{ rows: readonly ListedRequest[]; nextCursor: string | null }>;

export const requestRoutes =
  ({ listRequests }: { listRequests: List }): Routes =>
  (server) => {
    server.get(
      '/api/integrations/requests',
      apiRoute('admin', {
        summary: 'List every use of a credential',
        description:
          'Every request that used the credential of a connection, and every access token that was handed out, newest first. Requests are kept for seven days, and at most 100,000 of a team. They are written within a second after the response.',
        querystring: Type.Object(
          {
            ...PageQuery.properties,
            provider: Type.Optional(Type.String({ maxLength: 60 })),
            connection: Type.Optional(ConnectionName),
            token: Type.Optional(Type.String({ maxLength: 60, description: "An access token's ID" })),
            failed: Type.Optional(Type.Enum(['1'], { description: 'Only what failed' })),
            since: Moment,
            until: Moment,
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ requests: Type.Array(UsedCredential), nextCursor: NextCursor }) },
      }),
      async (request) => {
        const { since, until, failed, token: caller, ...query } = request.query;
        const { rows, nextCursor } = await listRequests(callerOf(request).teamId, {
          ...query,
          caller,
          failed: failed === '1',
          ...(since === undefined ? {} : { since: Date.parse(since) }),
          ...(until === undefined ? {} : { until: Date.parse(until) }),
        });
        return { requests: rows.map(viewRequest), nextCursor };
      },
    );
  };
