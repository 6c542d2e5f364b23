import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type onRequestHookHandler,
} from 'fastify';
import { createOutage, DatabaseUnavailable, type Html, type Log, type Refusal } from '../platform/index.ts';
import { createArrivals } from './connections/arrivals.ts';
import { endSlowReaders } from './connections/end-slow-readers.ts';
import { createHttpServer } from './connections/http-server.ts';
import { capConnections, limitConnections } from './connections/limit-connections.ts';
import { createPipeliningGuard } from './connections/pipelining-guard.ts';
import { createEarlyRefusal } from './connections/refuse-early.ts';
import { createEndings, createSideBySide } from './connections/side-by-side.ts';
import { createTimeLimit } from './connections/time-limit.ts';
import type { DescribedRequests } from './contract/described-requests.ts';
import { LIMITS } from './contract/limits.ts';
import type { Routes, Server } from './contract/routes.ts';
import { badRequest, databaseAway, internalError, notFound } from './errors.ts';
import { type AccessContext, createAccessGuard } from './guard/access-guard.ts';
import { createBodyGuard } from './guard/body-guard.ts';
import { useCleanForwardedFor } from './guard/clean-forwarded-for.ts';
import { cookieOf } from './guard/cookies.ts';
import { useCors } from './guard/cors.ts';
import { endTurn } from './guard/end-turn.ts';
import { createSenderOf } from './guard/sender-of.ts';
import { strangerKey } from './guard/stranger-key.ts';
import { createTrustedProxies } from './guard/trusted-proxies.ts';
import type { FrameOf } from './pages/docs-page.ts';
import { addFrameAssets } from './pages/frame-assets.ts';
import { asksForHtml, refusalPage, sendPage } from './pages/page.ts';
import { createResponseHeaders } from './pages/response-headers.ts';
import { createClientErrorHandler, refuseExpectations } from './problems/bare-problem.ts';
import { findFlaw } from './problems/find-flaw.ts';
import { PROBLEM_HEADERS, problemBody, toRefusal } from './problems/problem.ts';
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
  /** What the style sheet contains besides the frame. */
  styles: readonly string[];
  /** Links to every section, for a page that says what went wrong to someone who is signed in. */
  navigation: Html;
  /** What the API's description says about requests that we send. */
  describeRequests(): DescribedRequests;
  /** The same with all that belongs to the person, for a page that needs no sign-in. */
  frameOf: FrameOf;
  /** False while the database isn't up to date. Until then only routes that need no credential respond. */
  isOpen(): boolean;
  /** How long a request may take. Only tests, which may have to wait for a processor, allow more than the usual. */
  requestMs?: number | undefined;
  /** Called for every response, with the route's pattern and never the URL. */
  onResponse(route: string, method: string, status: string, ms: number): void;
};

const SAY_AGAIN_MS = 10_000;
/** The status that nobody gets. */
const CALLER_GONE = 499;

/** Whether this request gets a page rather than data. */
export const getsPage = (request: FastifyRequest): boolean =>
  request.route?.page === true || (request.route?.page === 'for_browsers' && asksForHtml(request));

/** A page's refusal is a page. For unknown and hidden paths, only browsers get one. */
const wantsPage = (request: FastifyRequest, refusal: Refusal): boolean => {
  const { route, is404, url } = request;
  if (!is404 && getsPage(request)) return true;
  const hides = refusal.status === 404 && typeof route?.access === 'object';
  return (is404 || hides) && !url.startsWith('/api/') && asksForHtml(request);
};

/** A provider chooses the status of what is passed on, so that counts by its class. Otherwise, it could make up hundreds. */
const nameStatus = ({ route }: FastifyRequest, status: number): string =>
  route?.passesBody ? `${Math.floor(status / 100)}xx` : String(status);

/** Without a name, Fastify looks for one among all modules that are loaded, which takes as long as adding the routes. */
const ROOM = { [Symbol.for('fastify.display-name')]: 'room' };

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
    navigation,
    describeRequests,
    frameOf,
    isOpen,
    onResponse,
    sessionCookie,
    requestMs = LIMITS.requestMs,
  } = context;
  const headers = createResponseHeaders({ https: url.startsWith('https:') });
  const pipelining = createPipeliningGuard(headers.api);
  /** Connections whose request is being passed on. */
  const passing = new WeakSet<Socket>();
  const isTrusted = createTrustedProxies(trustedProxies);
  const senderOf = createSenderOf(isTrusted);
  const arrive = createArrivals(sessionCookie);
  const endSoon = createEndings();
  const refuseEarly = createEarlyRefusal({ ...context, headers });

  const server: Server = fastify({
    logger: false,
    schemaController: { compilersFactory: { buildSerializer: createOutputSerializer() } },
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    bodyLimit: LIMITS.jsonBytes,
    serverFactory: (handle) => createHttpServer(handle, { pipelining, senderOf, arrive, refuseEarly, endSoon }),
    forceCloseConnections: 'idle',
    // Requests that have arrived get a response even while the server is closing. Their connection closes with it.
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler: createClientErrorHandler(headers.api, endSoon, {
      mayTakeLong: (socket) => passing.has(socket),
      isOver: pipelining.isOver,
    }),
    // Fastify itself handles a path that it can't decode, before any hook.
    frameworkErrors: (_error, request, reply) =>
      refuse(request, reply, findFlaw(request.raw) ?? badRequest('The URL is malformed.')),
  }).withTypeProvider<TypeBoxTypeProvider>();

  const outage = createOutage(SAY_AGAIN_MS);
  /** An outage affects every request: it is logged immediately, and then only once in a while. */
  const logOutage = (err: DatabaseUnavailable): void => {
    if (outage.isOn()) return;
    outage.begin();
    log.error({ err }, 'requests are failing because the database is unavailable');
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply => {
    const asPage = wantsPage(request, refusal);
    headers.setOn(reply, request.id, asPage);
    if (asPage && refusal.status === 401 && /^(?:GET|HEAD)$/.test(request.method))
      return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
    reply.headers(refusal.headers);
    const isSignedIn = cookieOf(request, sessionCookie) !== undefined;
    if (asPage)
      return sendPage(reply, refusal.status, refusalPage(refusal, request.id, isSignedIn ? navigation : null));
    return reply.code(refusal.status).headers(PROBLEM_HEADERS).send(problemBody(refusal, request.id));
  };

  /**
   * For errors while a response is written. Nothing else would catch them, and the responses that leave with it must go
   * out, too.
   */
  const refuseLate = (request: FastifyRequest, reply: FastifyReply, err: unknown): void => {
    if (!reply.raw.headersSent) return void reply.send(err);
    log.error({ err, requestId: request.id, route: request.route?.url }, 'a response failed after it had started');
  };

  server.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error);
    if (error instanceof DatabaseUnavailable) logOutage(error);
    const where = { requestId: request.id, route: request.route?.url };
    if (!refusal) log.error({ err: error, ...where }, 'a request failed');
    if (refusal?.status === CALLER_GONE) log.info(where, 'a caller left before there was a response');
    return refuse(request, reply, refusal ?? internalError());
  });
  server.setValidatorCompiler(createInputValidator());
  server.decorate('isOpen', isOpen);
  server.decorateRequest('caller', null);
  server.decorateRequest('route');
  server.decorateRequest('releaseBody', null);
  server.decorateRequest('endTurn', null);
  server.decorateRequest('lookedUpAt', 0);
  server.decorateRequest('checkCaller', null);
  server.decorateReply('underWay', null);
  useStrictJson(server, LIMITS.jsonBytes);
  useOptionalBodies(server);

  const limit = createTimeLimit(requestMs, endSoon);
  const leave = createSideBySide(process.nextTick);
  const slowReaders = endSlowReaders(server.server, pipelining);
  const most = capConnections(maxConnections);
  const crowd = createOutage(SAY_AGAIN_MS);
  limitConnections(server.server, {
    most,
    addressOf: (address) => (isTrusted(address) ? null : strangerKey(address)),
    lastOn: pipelining.lastOn,
    behindSince: slowReaders.behindSince,
    onFull() {
      if (crowd.isOn()) return;
      crowd.begin();
      log.warn({ most }, 'there are too many connections; idle ones are being closed');
    },
  });
  server.addHook('onClose', async () => {
    limit.stop();
    slowReaders.stop();
  });
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
    // Before the body is read, so that an unknown path and a hidden one behave alike.
    if (request.is404) return done(guard.refuseAsking(request) ?? methods.refusalOf(request));
    if (!isOpen() && request.route.access !== 'anyone') return done(databaseAway());
    done();
  });
  // Such a request has no body and no stream that would end, so the parser must not wait for one.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const isEmpty = request.headers['content-type'] !== undefined && request.raw.readableEnded;
    done(null, isEmpty ? Readable.from([]) : payload);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const ms = limit.end(reply);
    endTurn(request, reply, payload);
    const { method, id: requestId } = request;
    const { statusCode: status } = reply;
    // The route's pattern, never the URL, which may contain a sign-in link.
    const route = request.route?.url ?? 'unknown';
    onResponse(route, method, nameStatus(request, status), ms);
    log.debug({ route, method, status, ms, requestId }, 'responded');
    leave(() => {
      try {
        done();
      } catch (err) {
        refuseLate(request, reply, err);
      }
    });
  });
  const bodies = createBodyGuard();
  // For a missing file under a known path. An unknown path is refused before its body is read.
  server.setNotFoundHandler((request, reply) => refuse(request, reply, notFound()));
  refuseExpectations(server.server, headers.api, pipelining.admit);
  server.addHook('onRequest', guard.onRequest);
  server.addHook('preParsing', bodies.preParsing);
  server.addHook('preValidation', bodies.preValidation);
  server.addHook('preValidation', guard.preValidation);

  const markPassing: onRequestHookHandler = ({ raw: { socket } }, reply, done) => {
    passing.add(socket);
    reply.raw.once('close', () => passing.delete(socket));
    done();
  };
  const undeclared: string[] = [];
  server.addHook('onRoute', (route) => {
    if (route.config?.passesBody) route.onRequest = markPassing;
    if (!route.config?.access) undeclared.push(`${route.method} ${route.url}`);
  });
  addOpenApi(server, { url, sessionCookie, frameOf, describeRequests });
  addFrameAssets(server, styles);
  for (const add of routes)
    await server.register(Object.assign(async (scope: FastifyInstance) => add(scope as Server), ROOM));
  if (undeclared.length > 0) throw new Error(`These routes don't declare who may use them: ${undeclared.join(', ')}`);
  await server.ready();
  return server;
};
