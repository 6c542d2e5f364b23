import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type Routes, traceOf } from '../../http/index.ts';
import { onFirstUse } from '../../platform/index.ts';
import type { AgentsContext } from '../context.ts';
import { oneMessageEach, originRefused, restrictedTokenNeeded } from '../errors.ts';
import type { ToolCall } from '../tools/tool.ts';
import { MCP_PATH, MCP_SCOPE, METADATA_PATH } from './metadata-routes.ts';
import { type AddTools, openHandler } from './open-handler.ts';

/** Headers that the protocol itself reads. */
const READ = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
];

const toToolCall = (request: FastifyRequest, reply: FastifyReply): ToolCall => {
  const { restriction, ...caller } = callerOf(request);
  if (!restriction) throw restrictedTokenNeeded();
  return {
    caller: { ...caller, restriction },
    response: reply.raw,
    trace: traceOf(request) ?? null,
    async checkCaller() {
      await request.checkCaller?.();
      return callerOf(request);
    },
  };
};

/** Refuses a page of another site, which may have been led to us under a name of its own (DNS rebinding). */
const checkOrigin = ({ headers: { origin } }: FastifyRequest, url: string): void => {
  if (origin !== undefined && origin !== new URL(url).origin) throw originRefused();
};

const toWebRequest = (request: FastifyRequest, url: string, signal: AbortSignal): Request => {
  const given = READ.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  return new Request(`${url}${MCP_PATH}`, { method: request.method, headers: given, signal });
};

/** The endpoint of the Model Context Protocol. */
export const mcpRoutes =
  (context: AgentsContext, { path = MCP_PATH, addTools }: { path?: string; addTools?: AddTools } = {}): Routes =>
  (server) => {
    const { url } = context;
    const getHandler = onFirstUse(() => openHandler(context, addTools));

    server.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      config: {
        ...{ access: 'member', right: 'mcp', bearerOnly: true, waits: true },
        resource: { metadata: `${url}${METADATA_PATH}`, scope: MCP_SCOPE },
      },
      schema: { hide: true },
      handler: async (request, reply) => {
        checkOrigin(request, url);
        const call = toToolCall(request, reply);
        if (Array.isArray(request.body)) throw oneMessageEach();
        const gone = new AbortController();
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) gone.abort();
        });
        const { fetch: serve } = await getHandler();
        const answer = await serve(toWebRequest(request, url, gone.signal), {
          authInfo: { token: '', clientId: call.caller.tokenId ?? '', scopes: [MCP_SCOPE], extra: { call } },
          ...(request.body == null ? {} : { parsedBody: request.body }),
        });
        reply.code(answer.status).headers(Object.fromEntries(answer.headers));
        return reply.send(answer.body ? Readable.fromWeb(answer.body as never) : undefined);
      },
    });
  };
