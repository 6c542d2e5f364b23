import { callerOf, type Routes, withOptionalBody, withRight } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { apiRoute } from '../catalogue/schemas.ts';
import { hasNoBody } from '../proxy/returned-headers.ts';
import { ApprovalDetails, ApprovalView } from './approval-view.ts';
import type { Approvals } from './approvals.ts';

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });
const PROVIDERS = { description: "The provider's response, as it is" };
const POLICY = "default-src 'none'; sandbox";

/** The routes for requests that have to be approved. A restricted token sees its own, and decides nothing. */
export const approvalRoutes =
  (approvals: Approvals): Routes =>
  (server) => {
    server.get(
      '/api/approvals',
      withRight(
        'ask',
        apiRoute('member', {
          summary: 'List requests that have to be approved, or were',
          description:
            'For admins, and for a restricted token: what it has asked for. Newest first. They are kept for 30 days, and no longer than their token, which is kept for a day after it has expired.',
          querystring: Type.Object(
            { ...PageQuery.properties, state: Type.Optional(Type.Enum(['waiting'])) },
            { additionalProperties: false },
          ),
          response: { 200: Type.Object({ approvals: Type.Array(ApprovalView), nextCursor: NextCursor }) },
        }),
      ),
      async (request) => {
        const { rows, nextCursor } = await approvals.list(callerOf(request), request.query);
        return { approvals: rows, nextCursor };
      },
    );

    server.get(
      '/api/approvals/:id',
      withRight(
        'ask',
        apiRoute('member', {
          summary: 'Get a request that has to be approved, or was',
          description:
            'For admins, with headers and body as they are sent. And for the token that asked, without them.',
          params: ById,
          response: { 200: ApprovalDetails },
        }),
      ),
      (request) => approvals.get(callerOf(request), request.params.id),
    );

    for (const [verb, summary, description] of [
      [
        'approve',
        'Approve a request, and send it',
        'It is sent once, as it was shown, and only if its connection, account and host are the same, and its token and your rights have not ended. The response has the outcome if the provider answers within ten seconds. Otherwise, the state is still `sending`.',
      ],
      ['refuse', 'Refuse a request', 'It is never sent.'],
    ] as const)
      server.post(
        `/api/approvals/:id/${verb}`,
        withOptionalBody(
          apiRoute('admin', {
            summary,
            description,
            params: ById,
            body: Type.Object({}, { additionalProperties: false }),
            response: { 200: ApprovalDetails },
          }),
        ),
        (request) => approvals[verb](callerOf(request), actorOf(request), request.params.id),
      );

    server.get(
      '/api/approvals/:id/response',
      withRight(
        'ask',
        apiRoute('member', {
          summary: 'Get the response to an approved request',
          description:
            'Only for the token that asked. What the proxy would have returned, for an hour after the response. Up to 1 MiB: `Patchbay-Cut: true` says that there was more, or that the response was incomplete.',
          params: ById,
          response: { '2xx': PROVIDERS, '3xx': PROVIDERS, default: PROVIDERS },
        }),
      ),
      async (request, reply) => {
        const { status, headers, body, isCut } = await approvals.getResponse(callerOf(request), request.params.id);
        // Set the status on the raw response: Fastify refuses statuses above 599, but some providers use them.
        reply.raw.statusCode = status;
        reply.headers({
          ...headers,
          'patchbay-from': 'provider',
          'content-security-policy': POLICY,
          ...(isCut ? { 'patchbay-cut': 'true' } : {}),
        });
        return hasNoBody(status) ? reply.send() : reply.send(body);
      },
    );
  };
