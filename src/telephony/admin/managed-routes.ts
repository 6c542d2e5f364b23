import type { Static, TSchema } from 'typebox';
import { callerOf, routeOptions, type Server } from '../../http/index.ts';
import { type ListPage, NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { type AuditActor, actorOf } from '../../teams/index.ts';
import { ById } from '../contract/schemas.ts';

/** Use cases behind the routes. The views that they return match the schema `view`. */
type UseCases<Wish, Change> = {
  list(teamId: string, query: PageQuery): Promise<ListPage<unknown>>;
  get(teamId: string, id: string): Promise<unknown>;
  create(teamId: string, actor: AuditActor, wish: Wish): Promise<unknown>;
  change(teamId: string, actor: AuditActor, id: string, change: Change): Promise<unknown>;
  remove(teamId: string, actor: AuditActor, id: string): Promise<void>;
};

type About = Record<'list' | 'get' | 'create' | 'change' | 'remove', { summary: string; description?: string }>;

export const forAdmins = routeOptions('admin', 'telephony');

/** Adds the five routes of accounts or numbers. */
export const managedRoutes = <Wish extends TSchema, Change extends TSchema>(
  server: Server,
  name: 'accounts' | 'numbers',
  about: About,
  { view, wish, change }: { view: TSchema; wish: Wish; change: Change },
  cases: UseCases<Static<Wish>, Static<Change>>,
): void => {
  const path = `/api/telephony/${name}`;
  const List = Type.Object({ [name]: Type.Array(view), nextCursor: NextCursor });

  server.get(path, forAdmins({ ...about.list, querystring: PageQuery, response: { 200: List } }), async (request) => {
    const { rows, nextCursor } = await cases.list(callerOf(request).teamId, request.query);
    return { [name]: rows, nextCursor };
  });

  server.get(`${path}/:id`, forAdmins({ ...about.get, params: ById, response: { 200: view } }), (request) =>
    cases.get(callerOf(request).teamId, request.params.id),
  );

  server.post(path, forAdmins({ ...about.create, body: wish, response: { 201: view } }), async (request, reply) =>
    reply.code(201).send(await cases.create(callerOf(request).teamId, actorOf(request), request.body as Static<Wish>)),
  );

  server.patch(
    `${path}/:id`,
    forAdmins({ ...about.change, params: ById, body: change, response: { 200: view } }),
    (request) =>
      cases.change(callerOf(request).teamId, actorOf(request), request.params.id, request.body as Static<Change>),
  );

  server.delete(
    `${path}/:id`,
    forAdmins({ ...about.remove, params: ById, response: { 204: Type.Null() } }),
    async (request, reply) => {
      await cases.remove(callerOf(request).teamId, actorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
};
