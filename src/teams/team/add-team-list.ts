import type { Static, TSchema } from 'typebox';
import { type Caller, callerOf, routeOptions, type Server } from '../../http/index.ts';
import { type ListPage, NextCursor, PageQuery, Type } from '../../platform/index.ts';

const forMembers = routeOptions('member', 'team');

/** Adds a route for a list that any member can read page by page. `name` is the name of the rows in the response. */
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
  const route = forMembers({ summary: list.summary, querystring: PageQuery, response: { 200: Page } });
  server.get(path, route, async (request) => {
    const caller = callerOf(request);
    const { rows, nextCursor } = await list.read(caller, request.query);
    return { [list.name]: rows.map((row) => list.toView(row, caller)), nextCursor };
  });
};
