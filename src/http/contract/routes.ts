import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Access } from './access.ts';
import type { Caller } from './caller.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Whether a connect session can use it. A `provider` in the path must then be one of the session's. */
    connectSession?: boolean;
    /** Whether the body can be left out, because everything in it can. The handler then gets an empty one. */
    optionalBody?: boolean;
    /** What to do instead, for callers who try another method at this path. */
    insteadHint?: string;
    /** A session in a browser isn't enough, because other sites could make the browser send it. */
    bearerOnly?: boolean;
    /** Its body is passed on as it arrives, and its response may take long: the route has limits of its own. */
    passesBody?: boolean;
    /** A page for people, whose refusals are pages too. `for_browsers`: only if the request asks for HTML. */
    page?: boolean | 'for_browsers';
  }
  interface FastifyInstance {
    /** False while the service is not ready for requests that need the database. */
    isOpen(): boolean;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** `routeOptions.config`, which is rebuilt each time it's read, and every request reads it often. */
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

/** What a room adds to the server. */
export type Routes = (server: Server) => void | Promise<void>;
