import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Access } from './access.ts';
import type { Caller } from './caller.ts';
import type { RouteRight } from './restriction.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /**
     * Whether a connect session can use the route. A `provider` in the path must be one of the session's `providers`.
     */
    connectSession?: boolean;
    /** What a restricted token needs to use the route. Without it, no restricted token can. */
    right?: RouteRight;
    /** Whether the body can be left out, because all its fields are optional. The handler then gets an empty object. */
    optionalBody?: boolean;
    /** What the 405 suggests to callers who try another method at this path. */
    insteadHint?: string;
    /** Refuses sessions, because other sites could make a browser send its session cookie. */
    bearerOnly?: boolean;
    /** Where a 401 leads clients that can get a credential themselves, and the scope that they ask for. */
    resource?: { metadata: string; scope: string };
    /** The route may wait for another service for longer than other routes take. */
    waits?: boolean;
    /** The route passes its body on as it arrives, and may take long to respond. It has limits of its own. */
    passesBody?: boolean;
    /**
     * The route is a page for people, and its refusals are pages, too. `for_browsers`: only if the request asks for
     * HTML.
     */
    page?: boolean | 'for_browsers';
  }
  interface FastifyInstance {
    /** False while the service is not ready for requests that need the database. */
    isOpen(): boolean;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /**
     * `routeOptions.config`, kept here because Fastify builds it anew each time it's read, and every request reads it
     * often.
     */
    route: FastifyContextConfig & { url?: string };
  }
}

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Adds the routes of one part of the service to the server. */
export type Routes = (server: Server) => void | Promise<void>;
