import { type Routes, sendPage } from '../http/index.ts';
import { html, Type } from '../platform/index.ts';
import type { Reports } from './reports.ts';

const MOST_BYTES = 16 * 1024;

/** The unsubscribe routes. A GET changes nothing, because apps that preview a link request it, too. */
export const unsubscribeRoutes =
  ({ subscription }: Reports): Routes =>
  (server) => {
    // Ignore the body. The URL says everything, and a mail client may send the click with any body (RFC 8058).
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MOST_BYTES }, (_request, _body, done) =>
      done(null),
    );
    const options = {
      config: { access: 'anyone', page: true },
      schema: { hide: true, params: Type.Object({ sealed: Type.String({ maxLength: 1_000 }) }) },
    } as const;

    server.get('/unsubscribe/:sealed', options, async (request, reply) => {
      const team = await subscription.getTeam(request.params.sealed);
      return sendPage(reply, 200, {
        title: 'Unsubscribe from the weekly report?',
        content: html`<p>You’ll stop getting the weekly report for ${team?.name ?? 'the team'}.</p>
<form method="post"><button>Unsubscribe</button></form>`,
      });
    });

    server.post('/unsubscribe/:sealed', options, async (request, reply) => {
      await subscription.end(request.params.sealed);
      return sendPage(reply, 200, {
        title: 'Unsubscribed',
        content: html`<p>You won’t get this team’s weekly report anymore.</p>
<p>Changed your mind, or didn’t do this?</p>
<form method="post" action="/unsubscribe/${request.params.sealed}/undo"><button class="plain">Resubscribe</button></form>`,
      });
    });

    server.post('/unsubscribe/:sealed/undo', options, async (request, reply) => {
      await subscription.resume(request.params.sealed);
      return sendPage(reply, 200, {
        title: 'You’re subscribed again',
        content: html`<p>You’ll get the next weekly report if you’re still on the team’s list of recipients.</p>`,
      });
    });
  };
