import type { FastifySchema } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { type Caller, callerOf, type Role, type Server } from '../../http/index.ts';
import { type ListPage, NextCursor, PageQuery, Type } from '../../platform/index.ts';

/** The options of a route in the "team" part of the API. */
export const teamRoute = <Schema extends FastifySchema>(access: Role, summary: string, schema: Schema) => ({
  config: { access },
  schema: { tags: ['team'], summary, ...schema },
});

/** A list that any member reads page by page. `name` is what the rows are called. */
export const addTeamList = <View extends TSchema, Row>(
  server: Server,
  path: string,
  list: {
    summary: string;
    name: string;
    view: View;
    read(caller: Caller, query: PageQuery): Promise<ListPage<Row>>;
    toView(row: Row, caller: Caller): Static<View>;
  },
): void => {
  const Page: TSchema = Type.Object({ [list.name]: Type.Array(list.view), nextCursor: NextCursor });
  const route = teamRoute('member', list.summary, { querystring: PageQuery, response: { 200: Page } });
  server.get(path, route, async (request) => {
    const caller = callerOf(request);
    const { rows, nextCursor } = await list.read(caller, request.query);
    return { [list.name]: rows.map((row) => list.toView(row, caller)), nextCursor };
  });
};
