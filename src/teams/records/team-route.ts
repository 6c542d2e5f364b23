import type { FastifySchema } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { type Caller, callerOf, type Role, type Server } from '../../http/index.ts';
import { type ListPage, NextCursor, PageQuery, Type } from '../../platform/index.ts';

/** The options of a route in the "team" part of the API. */
export const teamRoute = <Schema extends FastifySchema>(access: Role, summary: string, schema: Schema) => ({
  config: { access },
  schema: { tags: ['team'], summary, ...schema },
});

type TeamList<View extends TSchema, Row> = {
  summary: string;
  /** What the rows are called. */
  name: string;
  view: View;
  read(caller: Caller, query: PageQuery): Promise<ListPage<Row>>;
  toView(row: Row, caller: Caller): Static<View>;
};

/** A list that any member reads page by page. */
export const addTeamList = <View extends TSchema, Row>(
  server: Server,
  path: string,
  { summary, name, view, read, toView }: TeamList<View, Row>,
): void => {
  const Page: TSchema = Type.Object({ [name]: Type.Array(view), nextCursor: NextCursor });
  const route = teamRoute('member', summary, { querystring: PageQuery, response: { 200: Page } });
  server.get(path, route, async (request) => {
    const caller = callerOf(request);
    const { rows, nextCursor } = await read(caller, request.query);
    return { [name]: rows.map((row) => toView(row, caller)), nextCursor };
  });
};
