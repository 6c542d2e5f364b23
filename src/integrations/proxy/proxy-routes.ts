import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type Routes, traceOf } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import { ConnectionName } from '../connections/connection-name.ts';
import { type Admitted, type ApiCall, admitBody, admitCall, openCall, sendCall } from './api-call.ts';
import { rewriteLinks } from './links/rewrite-links.ts';
import { endBody, type ProxyContext, refusalOfFailure, reopen } from './pass-request.ts';
import { HOST_FIELD } from './proxy-target.ts';
import { createBodyReader } from './read-body.ts';
import { hasNoBody, returnedHeaders } from './returned-headers.ts';
import { createRights } from './rights.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PROVIDERS = { description: "The provider's response, as it is" };
const POLICY = "default-src 'none'; sandbox";

/** A client that uses us as a forward proxy sends the whole URL (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** Splits `/api/integrations/<provider>/proxy/<path>?<query>` without decoding anything. */
const splitTarget = (url: string): { path: string; query: string } => {
  const [whole = '', ...query] = url.replace(ORIGIN, '').split('?');
  return { path: whole.split('/').slice(5).join('/'), query: query.join('?') };
};

type Query = { connection?: string; [HOST_FIELD]?: string };

/**
 * The name of the host that the request should go to. Rewritten links name it in the query. The query takes precedence,
 * because a library may send the header with every request.
 */
const hostOf = ({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): string | undefined => {
  const { [HOST_FIELD]: inQuery } = query as Query;
  if (inQuery !== undefined) return inQuery === '' ? undefined : inQuery;
  const named = headers['patchbay-host'];
  return Array.isArray(named) ? named.join(',') : named;
};

/** Calls `done` when the response is closed, or now if it already is. */
const whenClosed = ({ raw }: FastifyReply, done: () => void): void => {
  if (raw.closed) done();
  else raw.once('close', done);
};

/** Routes that call a provider's API with a connection's credential. The caller never sees the credential. */
export const proxyRoutes =
  (context: ProxyContext): Routes =>
  (server) => {
    const readBody = createBodyReader();

    const pass = async (request: FastifyRequest, reply: FastifyReply, call: ApiCall, admitted: Admitted) => {
      const { raw, headers } = request;
      const caller = callerOf(request);
      const { teamId, userId } = caller;
      const checkCaller = async () => request.checkCaller?.();
      await context.pause.check();
      // This check runs only while a body or a response is being passed on. By then, `opened` (below) is set.
      const rights = createRights(async () => {
        await checkCaller();
        await reopen(context, opened);
      });
      const body = await readBody(raw, userId, rights.require);
      whenClosed(reply, body.release);
      admitBody(context, caller, admitted, call, body);
      await checkCaller();
      const signal = context.places.take(reply.raw, { teamId, userId, body: body.content });
      const opened = await openCall(context, caller, admitted, call);
      // It may have waited for a refresh.
      await checkCaller();
      whenClosed(
        reply,
        rights.watch(() => reply.raw.destroy()),
      );
      const trace = traceOf(request);
      const { response, used, end } = await sendCall(context, caller, opened, call, {
        ...{ admitted, body, signal, trace, checkCaller },
      });
      const { body: content, status } = response;
      whenClosed(reply, () => {
        end();
        endBody(response);
      });
      if (content instanceof Readable && content.errored) throw refusalOfFailure(content.errored);
      // Set the status on the raw response: Fastify refuses statuses above 599, but some providers use them.
      reply.raw.statusCode = status;
      const follower = { origin: context.url, headers, original: headers['patchbay-links'] === 'original' };
      const asked = { ...call, connection: admitted.wanted.name };
      reply.headers({
        ...returnedHeaders(response, used.credential, (returned) => rewriteLinks(returned, used, asked, follower)),
        'patchbay-from': 'provider',
        'content-security-policy': POLICY,
      });
      if (call.method !== 'HEAD' && !hasNoBody(status)) return reply.send(content);
      if (content instanceof Readable) content.resume();
      return reply.send();
    };

    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onSend', async (_request, reply) => {
      if (!reply.hasHeader('patchbay-from')) reply.header('patchbay-from', 'patchbay');
    });
    server.route({
      method: METHODS,
      url: '/api/integrations/:provider/proxy/*',
      config: { access: 'admin', right: 'allow', bearerOnly: true, passesBody: true },
      schema: {
        tags: ['integrations'],
        summary: "Call a provider's API",
        description:
          "The path and query are appended to the API's address in the provider's entry, the credential is added, and the response is passed on as it is. Takes a bearer token only. `Patchbay-Host` names one of the entry's other hosts. A `Location` or `Link` that points into the provider's API leads back to this endpoint, unless the request says `Patchbay-Links: original`. A `Link` to anywhere else isn't passed on, and neither is a reference to Patchbay itself. `Patchbay-From` says whose response it is: the `provider`'s, or `patchbay`'s if the provider wasn't reached. Generated clients encode the slashes of a path: use `@patchbay/client` or a plain HTTP client for it.",
        params: ByProvider,
        querystring: Type.Object({
          connection: Type.Optional(ConnectionName),
          [HOST_FIELD]: Type.Optional(
            Type.String({
              description:
                "Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address",
            }),
          ),
        }),
        response: { '2xx': PROVIDERS, '3xx': PROVIDERS, default: PROVIDERS },
      },
      handler: (request, reply) => {
        const { method = 'GET', headers, rawHeaders, url = '' } = request.raw;
        const { provider } = request.params as { provider: string };
        const { connection = null } = request.query as Query;
        const target = { ...splitTarget(url), host: hostOf(request) };
        const call: ApiCall = { kind: 'proxy', provider, connection, ...target, method, headers, rawHeaders };
        return pass(request, reply, call, admitCall(context, callerOf(request), call));
      },
    });
  };
