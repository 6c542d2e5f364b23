import { BROWSER } from './connect-flow.ts';
import type { ProxyStage } from './proxy-stage.ts';
import { openSession } from './sessions.ts';
import { waitUntil } from './wait-until.ts';

/** A connected team that uses its connection, and an admin who looks at what was requested. */
export const openRequestLog = async (stage: ProxyStage, connection?: string) => {
  const team = await stage.connected(connection);
  const session = await openSession(stage, team.admin.user);

  const visit = (path: string, headers: Record<string, string> = session.headers) =>
    stage.server.inject({ url: path, headers: { ...BROWSER, ...headers } });

  return {
    ...team,
    visit,
    /** Makes a request, in a group of its own, and waits until it's listed. Returns its ID. */
    async send(path: string, method = 'GET'): Promise<string> {
      stage.clock.advance(1_100);
      const { status, body } = await stage.call(stage.proxied(path), { method, headers: team.headers });
      const expected = `/${path.replace(/\?.*$/, '')}`;
      let id: string | undefined;
      await waitUntil(`it is listed after ${status} ${body}`, async () => {
        const listed = await stage.server.inject({
          url: '/api/integrations/requests?limit=1',
          headers: team.headers,
        });
        const [latest] = listed.json<{ requests: { id: string; path: string | null }[] }>().requests;
        id = latest?.path === expected ? latest.id : undefined;
        return id !== undefined;
      });
      return id ?? '';
    },
    /** The ID of the access token that the admin's requests are made with. */
    async tokenId(): Promise<string> {
      const row = await stage.app.database.get<{ id: string }>(
        'select id from access_tokens where team_id = $1 and user_id = $2',
        [team.team.id, team.admin.user.id],
      );
      return row?.id ?? '';
    },
  };
};
