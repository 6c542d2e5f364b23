import { type Routes, sendPage } from '../../http/index.ts';
import { html, Type } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import { openUnsubscribe, subscribeAgain, type UnsubscribeDependencies, unsubscribe } from './unsubscribe.ts';

const MOST_BYTES = 16 * 1024;
const BySealed = Type.Object({ sealed: Type.String({ maxLength: 1_000 }) });

/** Looking changes nothing: whoever previews links must not unsubscribe anybody. */
export const unsubscribeRoutes =
  (dependencies: UnsubscribeDependencies): Routes =>
  (server) => {
    // The address says everything: a mail program may send the click in any form (RFC 8058), and it is not looked at.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MOST_BYTES }, (_request, _body, done) =>
      done(null),
    );
    const config = { access: 'anyone', page: true } as const;

    server.get('/unsubscribe/:sealed', { config, schema: { hide: true, params: BySealed } }, async (request, reply) => {
      const { teamId } = await openUnsubscribe(dependencies.vault, request.params.sealed);
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
          content: html`<p>You will get no more weekly reports of this team.</p>
<p>You have changed your mind, or it was somebody else?</p>
<form method="post" action="/unsubscribe/${request.params.sealed}/undo"><button class="plain">Send them again</button></form>`,
        });
      },
    );

    server.post(
      '/unsubscribe/:sealed/undo',
      { config, schema: { hide: true, params: BySealed } },
      async (request, reply) => {
        await subscribeAgain(dependencies, request.params.sealed);
        return sendPage(reply, 200, {
          title: 'Subscribed again',
          content: html`<p>The next weekly report comes to you again, if the team still has you among its recipients.</p>`,
        });
      },
    );
  };
