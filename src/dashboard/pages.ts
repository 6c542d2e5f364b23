import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { type Caller, callerOf, type Role, refusalPage, type Server } from '../http/index.ts';
import { Refusal, Type } from '../platform/index.ts';
import { type AuditActor, actorOf } from '../teams/index.ts';
import { askPage, type Question } from './ask-page.ts';
import type { DashboardContext } from './context.ts';
import { type DashboardPage, framePage } from './frame.ts';
import { doneNotice, problemNotice } from './notice.ts';
import { loadPerson, type Person, type PersonContext } from './person.ts';

type Nothing = TObject<Record<never, TSchema>>;

/** A request by a person who opens a page or submits a form. */
export type Visit<Params extends TSchema = Nothing, Query extends TSchema = Nothing, Body extends TSchema = Nothing> = {
  person: Person;
  caller: Caller;
  actor: AuditActor;
  params: Static<Params>;
  query: Static<Query>;
  body: Static<Body>;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** A page, the path to redirect to, or the reply if the handler has already sent it. */
type Result = DashboardPage | string | FastifyReply;

type Accepts<Params, Query = Nothing, Body = Nothing> = { access: Role; params?: Params; query?: Query; body?: Body };

type PageOptions<Params, Query> = Omit<Accepts<Params, Query>, 'body'> & {
  /** Messages for a form that redirected to this page with `?done=<what>`. */
  done?: Readonly<Record<string, string>>;
  exposeHeadRoute?: boolean;
};

/** The params of a page about a single item. */
export const ByPageId = Type.Object({ id: Type.String({ maxLength: 60 }) });

const Done = Type.Optional(Type.String({ maxLength: 40 }));

const routeOf = ({ access, params, query, body }: Accepts<TSchema, TSchema, TSchema>) => ({
  schema: { hide: true, ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) },
  config: { access, page: true },
});

/** Returns functions that add the dashboard's routes. A visitor who isn't signed in is redirected to sign in. */
export const createPages = (server: Server, context: PersonContext & Pick<DashboardContext, 'events' | 'pause'>) => {
  const loadVisit = async (request: FastifyRequest, reply: FastifyReply): Promise<Visit<TSchema, TSchema, TSchema>> => {
    const { params, query, body } = request;
    const person = await loadPerson(context, request);
    return { person, caller: callerOf(request), actor: actorOf(request), params, query, body, request, reply };
  };

  const respond = async (
    path: string,
    { reply, person }: Visit<TSchema, TSchema>,
    result: Result,
    around: Partial<DashboardPage> = {},
  ): Promise<FastifyReply> => {
    if (typeof result === 'string') return reply.redirect(result, 303);
    if (!('content' in result)) return result;
    const openAlerts = await context.events.alerts.count({ teamId: person.team.id, role: person.role });
    const paused = await context.pause.read();
    return framePage(reply, { person, path, openAlerts, paused }, { ...around, ...result });
  };

  const page = <Params extends TSchema = Nothing, Query extends TObject = Nothing>(
    path: string,
    { done, exposeHeadRoute = false, ...accepts }: PageOptions<Params, Query>,
    show: (visit: Visit<Params, Query>) => Result | Promise<Result>,
  ): void => {
    const query = done ? Type.Object({ ...accepts.query?.properties, done: Done }) : accepts.query;
    const route = routeOf({ ...accepts, ...(query && { query }) });
    server.get(path, { ...route, exposeHeadRoute }, async (request, reply) => {
      const visit = await loadVisit(request, reply);
      const { done: what } = request.query as { done?: string };
      const notice = done ? doneNotice(done, what) : null;
      try {
        return await respond(path, visit, await show(visit as Visit<Params, Query>), { notice });
      } catch (problem) {
        if (!(problem instanceof Refusal) || problem.status !== 404) throw problem;
        return respond(path, visit, { ...refusalPage(problem, request.id), status: problem.status });
      }
    });
  };

  /**
   * Adds a form. `act` should return a path with `?done=<what>`, so that reloading doesn't submit the form again. If
   * `act` is refused, `again` returns the page with the form as it was filled in, and the reason is shown above it.
   */
  const form = <Params extends TSchema = Nothing, Query extends TObject = Nothing, Body extends TSchema = Nothing>(
    path: string,
    accepts: Accepts<Params, Query, Body>,
    act: (visit: Visit<Params, Query, Body>) => Promise<Result>,
    again?: (visit: Visit<Params, Query, Body>, problem: Refusal) => Result | Promise<Result>,
  ): void => {
    server.post(path, routeOf(accepts), async (request, reply) => {
      const visit = (await loadVisit(request, reply)) as Visit<Params, Query, Body>;
      try {
        return await respond(path, visit, await act(visit));
      } catch (problem) {
        if (!again || !(problem instanceof Refusal) || problem.status >= 500) throw problem;
        const around = { notice: problemNotice(problem), status: problem.status };
        return respond(path, visit, await again(visit, problem), around);
      }
    });
  };

  /**
   * Adds a page that asks for confirmation before something is removed for good. `query`: what the link to the question
   * says. `body`: the question's own fields.
   */
  const confirm = <Params extends TSchema = Nothing, Body extends TSchema = Nothing, Query extends TObject = Nothing>(
    path: string,
    { body, query, ...accepts }: Accepts<Params, Query, Body>,
    ask: (visit: Visit<Params, Query>) => Question | string | Promise<Question | string>,
    act: (visit: Visit<Params, Nothing, Body>) => Promise<Result>,
  ): void => {
    const show = async (visit: Visit<Params, Query>): Promise<Result> => {
      const question = await ask(visit);
      const [action = ''] = visit.request.url.split('?');
      return typeof question === 'string' ? question : askPage(visit.person, action, question);
    };
    page(path, { ...accepts, ...(query && { query }) }, show);
    form(path, { ...accepts, ...(body && { body }) }, act, (visit) =>
      show({ ...visit, query: {} as Static<Query>, body: {} }),
    );
  };

  return { server, page, form, confirm };
};

/** Adds the pages and forms of a section. */
export type PageRoutes = (pages: ReturnType<typeof createPages>, context: DashboardContext) => void;
