import formBody from '@fastify/formbody';
import { Type } from 'typebox';
import { type Routes, sendPage } from '../http/index.ts';
import { type Clock, type Database, html } from '../platform/index.ts';
import { getTeam } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { openUnsubscribe, unsubscribe } from './unsubscribe.ts';

const BySealed = Type.Object({ sealed: Type.String({ maxLength: 1_000 }) });

/** Looking changes nothing: whoever previews links must not unsubscribe anybody. */
export const unsubscribeRoutes =
  (dependencies: { database: Database; vault: Vault; clock: Clock }): Routes =>
  async (server) => {
    await server.register(formBody);
    const config = { access: 'anyone', page: true } as const;

    server.get('/unsubscribe/:sealed', { config, schema: { hide: true, params: BySealed } }, async (request, reply) => {
      const { teamId } = openUnsubscribe(dependencies.vault, request.params.sealed);
      const team = await getTeam(dependencies.database, teamId);
      return sendPage(reply, 200, {
        title: 'No more weekly reports?',
        content: html`<p>The weekly report of ${team?.name ?? 'the team'} will not be sent to you any more.</p>
<form method="post"><button>Unsubscribe</button></form>`,
      });
    });

    server.post(
      '/unsubscribe/:sealed',
      { config, schema: { hide: true, params: BySealed } },
      async (request, reply) => {
        await unsubscribe(dependencies, request.params.sealed);
        return sendPage(reply, 200, {
          title: 'Unsubscribed',
          content: html`<p>You will get no more weekly reports of this team.</p>`,
        });
      },
    );
  };
