import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendPage, toRefusal } from '../../http/index.ts';
import { DatabaseUnavailable, Type, workFor } from '../../platform/index.ts';
import { type ConnectSessions, callerRemoved, getTeam, getUser, HOSTED_PAGE } from '../../teams/index.ts';
import { customerWords } from '../connect/customer-words.ts';
import type { Product } from '../connect/product.ts';
import { ConnectionName, DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import type { IntegrationsContext } from '../context.ts';
import { hostedProviderRefused } from '../errors.ts';
import { endedPage, hostedRefusalPage, type Who } from './hosted-pages.ts';
import { createPageCookie } from './page-cookie.ts';

export const HOSTED = { access: 'anyone', page: true } as const;

type Session = NonNullable<Awaited<ReturnType<ConnectSessions['findPage']>>>;

type Which = { provider: string; connection: string };
type Query = Readonly<Record<string, string | undefined>>;
export type HostedRequest = FastifyRequest<{ Params: { provider: string }; Querystring: Query }>;

const PARAM = 'params.';

/** The provider's params as fields of a form. The dashboard uses the same names. */
export const withParams = {
  patternProperties: { '^params\\.[a-z][a-zA-Z0-9_]{0,39}$': { type: 'string', maxLength: 300 } },
};

export const HostedQuery = Type.Object(
  {
    connection: Type.Optional(ConnectionName),
    page: Type.Optional(Type.String({ maxLength: 60 })),
    replace: Type.Optional(Type.Literal('true')),
  },
  withParams,
);

/** The params that were filled in. Empty fields are left out. */
export const paramsIn = (query: Query): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      name.startsWith(PARAM) && value?.trim() ? [[name.slice(PARAM.length), value.trim()] as const] : [],
    ),
  );

/**
 * The links of the hosted page. Each contains the session's ID, because the page may have been opened for another team
 * in another tab since.
 */
export const pathsOf = ({ credential }: Session) => {
  const queryOf = ({ connection }: Which): string => `connection=${connection}&page=${credential.id}`;
  return {
    /**
     * With an `account` that is unknown, the link replaces it: nobody could tell whether the person chose another one.
     */
    connect: (which: Which & { account?: { id: string | null } | null }): string =>
      `${HOSTED_PAGE}/${which.provider}?${queryOf(which)}${which.account?.id === null ? '&replace=true' : ''}`,
    /** Without `connection`, the page asks for a name. */
    add: (provider: string, connection?: string): string =>
      `${HOSTED_PAGE}/${provider}/add?${connection === undefined ? '' : `connection=${connection}&`}page=${credential.id}`,
    site: (which: Which): string => `${HOSTED_PAGE}/${which.provider}/site?${queryOf(which)}`,
    disconnect: (which: Which): string => `${HOSTED_PAGE}/${which.provider}/disconnect?${queryOf(which)}`,
  };
};

export const whichOf = ({ params, query }: Pick<HostedRequest, 'params' | 'query'>): Which => ({
  provider: params.provider,
  connection: query['connection'] ?? DEFAULT_CONNECTION,
});

/**
 * Shared by all routes of the hosted page: the cookie that opens it, and the response to browsers without that cookie.
 */
export const createHostedDoor = (
  { url, database }: Pick<IntegrationsContext, 'url' | 'database'>,
  sessions: ConnectSessions,
  { brand }: Product,
) => {
  const cookie = createPageCookie(url);
  return {
    cookie,

    async whoOf({ teamId, userId }: { teamId: string; userId: string }): Promise<Who> {
      const [team, user] = await Promise.all([getTeam(database, teamId), getUser(database, teamId, userId)]);
      return { team: team?.name ?? '', user: user?.name ?? user?.email ?? '' };
    },

    /**
     * Runs a handler that needs the page's cookie. Without a valid cookie, shows a page that says where to go. The work
     * is queued as the team's own. As anonymous work, it would share one queue with all other customers' users.
     */
    withSession:
      <Request extends FastifyRequest>(
        handle: (session: Session, request: Request, reply: FastifyReply) => Promise<FastifyReply>,
      ) =>
      async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
        const session = await sessions.findPage(cookie.readFrom(request));
        if (!session) return sendPage(cookie.clearOn(reply), 401, endedPage(brand));
        const { provider } = (request.params ?? {}) as { provider?: string };
        if (provider !== undefined && session.providers && !session.providers.includes(provider))
          throw hostedProviderRefused();
        const { page: shown } = request.query as { page?: string };
        if (provider !== undefined && shown !== session.credential.id) return reply.redirect(HOSTED_PAGE, 303);
        return workFor(session.teamId, () => handle(session, request, reply));
      },

    /** Throws if the page's session has ended since the request began. */
    async checkSession(request: FastifyRequest): Promise<void> {
      if (!(await sessions.findPage(cookie.readFrom(request)))) throw callerRemoved();
    },

    /** Shows refusals on a page with a link back. Rethrows bugs and outages, so that they're logged. */
    errorHandler(error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const refusal = error instanceof DatabaseUnavailable ? undefined : toRefusal(error);
      if (!refusal) throw error;
      const page = hostedRefusalPage(brand, customerWords(refusal), HOSTED_PAGE);
      return sendPage(reply.headers(refusal.headers), refusal.status, page);
    },
  };
};

export type HostedDoor = ReturnType<typeof createHostedDoor>;
