import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyInstance, type FastifyRequest, fastify, type onRequestHookHandler } from 'fastify';
import type { Html, Log, Tracer } from '../platform/index.ts';
import { createArrivals } from './connections/arrivals.ts';
import { createHttpServer } from './connections/http-server.ts';
import { capConnections } from './connections/limit-connections.ts';
import { createPipeliningGuard } from './connections/pipelining-guard.ts';
import { createEarlyRefusal } from './connections/refuse-early.ts';
import { createEndings, createSideBySide } from './connections/side-by-side.ts';
import { createTimeLimit } from './connections/time-limit.ts';
import { watchConnections } from './connections/watch-connections.ts';
import type { DescribedRequests } from './contract/described-requests.ts';
import { LIMITS } from './contract/limits.ts';
import type { Routes, Server } from './contract/routes.ts';
import { badRequest, databaseAway, notFound } from './errors.ts';
import { type AccessContext, createAccessGuard } from './guard/access-guard.ts';
import { createBodyGuard } from './guard/body-guard.ts';
import { useCleanForwardedFor } from './guard/clean-forwarded-for.ts';
import { useCors } from './guard/cors.ts';
import { endTurn } from './guard/end-turn.ts';
import { createSenderOf } from './guard/sender-of.ts';
import { createRequestTraces } from './guard/trace-requests.ts';
import { createTrustedProxies } from './guard/trusted-proxies.ts';
import type { FrameOf } from './pages/docs-page.ts';
import { addFrameAssets } from './pages/frame-assets.ts';
import { createRefusals, getsPage } from './pages/refusals.ts';
import { createResponseHeaders } from './pages/response-headers.ts';
import { createClientErrorHandler, refuseExpectations } from './problems/bare-problem.ts';
import { findFlaw } from './problems/find-flaw.ts';
import { createInputValidator } from './schemas/input-validator.ts';
import { createMethodTable } from './schemas/method-table.ts';
import { addOpenApi } from './schemas/openapi.ts';
import { useOptionalBodies } from './schemas/optional-body.ts';
import { createOutputSerializer } from './schemas/output-serializer.ts';
import { useStrictJson } from './schemas/strict-json.ts';

type HttpContext = AccessContext & {
  log: Log;
  url: string;
  returnOrigins: readonly string[];
  trustedProxies: readonly string[];
  maxConnections: number;
  routes: readonly Routes[];
  /** The styles of other parts of the service, which are added to those of the page frame. */
  styles: readonly string[];
  /** Links to every section, shown on an error page to someone who is signed in. */
  navigation: Html;
  /** Describes the requests that we send, for the OpenAPI document. */
  describeRequests(): DescribedRequests;
  /** Returns the frame for a page that needs no sign-in. If someone is signed in, it includes their navigation. */
  frameOf: FrameOf;
  /** False until the database is up to date. Until then, only routes for `anyone` respond. */
  isOpen(): boolean;
  /** How long a request may take. Only tests change it, because they may have to wait for a busy processor. */
  requestMs?: number | undefined;
  /** Makes requests spans. Null if none are exported. */
  tracer?: Tracer | null;
  /** Called for every response, with the route's pattern and never the URL. */
  onResponse(route: string, method: string, status: string, ms: number): void;
};

/**
 * Names a status for the metrics. A provider chooses the status of a proxied response, so only its class is named.
 * Otherwise, a provider could create hundreds of metrics.
 */
const nameStatus = ({ route }: FastifyRequest, status: number): string =>
  route?.passesBody ? `${Math.floor(status / 100)}xx` : String(status);

/**
 * Names each plugin. Otherwise, Fastify searches all loaded modules for a name, which takes as long as adding the
 * routes.
 */
const ROOM = { [Symbol.for('fastify.display-name')]: 'room' };

/** Remembers connections whose request is being passed on to another service. */
const createPassingConnections = () => {
  const sockets = new WeakSet<Socket>();
  const mark: onRequestHookHandler = ({ raw: { socket } }, reply, done) => {
    sockets.add(socket);
    reply.raw.once('close', () => sockets.delete(socket));
    done();
  };
  return { mark, has: (socket: Socket): boolean => sockets.has(socket) };
};

/** Adds the properties that hooks and routes use on the server, a request, and a reply. */
const decorate = (server: Server, isOpen: () => boolean): void => {
  server.decorate('isOpen', isOpen);
  server.decorateRequest('caller', null);
  server.decorateRequest('route');
  server.decorateRequest('releaseBody', null);
  server.decorateRequest('endTurn', null);
  server.decorateRequest('lookedUpAt', 0);
  server.decorateRequest('checkCaller', null);
  server.decorateReply('underWay', null);
};

/**
 * Collects routes that don't declare who may use them. Returns a check that throws if there are any, for when all
 * routes have been added.
 */
const expectAccess = (server: Server): (() => void) => {
  const undeclared: string[] = [];
  server.addHook('onRoute', ({ config, method, url }) => {
    if (!config?.access) undeclared.push(`${method} ${url}`);
  });
  return () => {
    if (undeclared.length > 0) throw new Error(`These routes don't declare who may use them: ${undeclared.join(', ')}`);
  };
};

/** Builds the server. It doesn't listen yet. */
export const createServer = async (context: HttpContext): Promise<Server> => {
  const {
    log,
    url,
    returnOrigins,
    trustedProxies,
    maxConnections,
    routes,
    styles,
    describeRequests,
    frameOf,
    isOpen,
    onResponse,
    sessionCookie,
    tracer,
    requestMs = LIMITS.requestMs,
  } = context;
  const headers = createResponseHeaders({ https: url.startsWith('https:') });
  const pipelining = createPipeliningGuard(headers.api);
  const passing = createPassingConnections();
  const isTrusted = createTrustedProxies(trustedProxies);
  const senderOf = createSenderOf(isTrusted);
  const arrive = createArrivals(sessionCookie);
  const endSoon = createEndings();
  const refuseEarly = createEarlyRefusal({ ...context, headers });
  const refusals = createRefusals({ ...context, headers });

  const server: Server = fastify({
    logger: false,
    schemaController: { compilersFactory: { buildSerializer: createOutputSerializer() } },
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    bodyLimit: LIMITS.jsonBytes,
    serverFactory: (handle) => createHttpServer(handle, { pipelining, senderOf, arrive, refuseEarly, endSoon }),
    forceCloseConnections: 'idle',
    // Requests that have arrived get a response even while the server is closing. Then, their connections close.
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler: createClientErrorHandler(headers.api, endSoon, {
      mayTakeLong: passing.has,
      isOver: pipelining.isOver,
    }),
    // Fastify itself handles a path that it can't decode, before any hook.
    frameworkErrors: (_error, request, reply) =>
      refusals.refuse(request, reply, findFlaw(request.raw) ?? badRequest('The URL is malformed.')),
  }).withTypeProvider<TypeBoxTypeProvider>();

  server.setErrorHandler(refusals.onError);
  server.setValidatorCompiler(createInputValidator());
  decorate(server, isOpen);
  useStrictJson(server, LIMITS.jsonBytes);
  useOptionalBodies(server);

  const limit = createTimeLimit(requestMs, endSoon);
  server.addHook('onClose', async () => limit.stop());
  const leave = createSideBySide(process.nextTick);
  watchConnections(server, { log, isTrusted, pipelining, most: capConnections(maxConnections) });
  if (trustedProxies.length > 0) useCleanForwardedFor(server);

  server.addHook('onRequest', (request, reply, done) => {
    limit.begin(reply);
    request.route = request.routeOptions.config;
    headers.setOn(reply, request.id, getsPage(request));
    done(findFlaw(request.raw) ?? undefined);
  });
  const guard = createAccessGuard(context);
  const methods = createMethodTable(server, guard.isHidden);
  useCors(server, returnOrigins, methods.methodsAt);
  server.addHook('onRequest', (request, _reply, done) => {
    // Refuse an unknown path before the body is read, so that it can't be distinguished from a hidden path.
    if (request.is404) return done(guard.refuseAsking(request) ?? methods.refusalOf(request));
    if (!isOpen() && request.route.access !== 'anyone') return done(databaseAway());
    done();
  });
  // A request can have a content type, but no body. Its stream has ended already, and the parser would wait for the end
  // forever.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const isEmpty = request.headers['content-type'] !== undefined && request.raw.readableEnded;
    done(null, isEmpty ? Readable.from([]) : payload);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const ms = limit.end(reply);
    endTurn(request, reply, payload);
    const { method, id: requestId } = request;
    const { statusCode: status } = reply;
    // Log the route's pattern, never the URL, which may contain a sign-in link.
    const route = request.route?.url ?? 'unknown';
    onResponse(route, method, nameStatus(request, status), ms);
    log.debug({ route, method, status, ms, requestId }, 'responded');
    leave(() => {
      try {
        done();
      } catch (err) {
        refusals.refuseLate(request, reply, err);
      }
    });
  });
  const bodies = createBodyGuard();
  // Refuses a missing file under a known path. An unknown path is refused earlier, before its body is read.
  server.setNotFoundHandler((request, reply) => refusals.refuse(request, reply, notFound()));
  refuseExpectations(server.server, headers.api, pipelining.admit);
  server.addHook('onRequest', guard.onRequest);
  server.addHook('preParsing', bodies.preParsing);
  server.addHook('preValidation', bodies.preValidation);
  server.addHook('preValidation', guard.preValidation);
  if (tracer) server.addHook('preValidation', createRequestTraces(tracer, url));

  const checkAccess = expectAccess(server);
  server.addHook('onRoute', (route) => {
    if (route.config?.passesBody || route.config?.waits) route.onRequest = passing.mark;
  });
  addOpenApi(server, { url, sessionCookie, frameOf, describeRequests });
  addFrameAssets(server, styles);
  for (const add of routes)
    await server.register(Object.assign(async (scope: FastifyInstance) => add(scope as Server), ROOM));
  checkAccess();
  await server.ready();
  return server;
};
