import { callerOf, type Routes } from '../../http/index.ts';
import { toIso } from '../../platform/index.ts';
import { actorOf, createAccessToken } from '../../teams/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { postForm } from '../form.ts';
import { PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { tokenPage } from './token-page.ts';

export const settingsPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get('/settings', { schema: { hide: true }, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      return showPage(reply, person, 'settings', {
        title: 'Settings',
        content: postForm({ action: '/access-token', csrfToken: person.csrfToken, button: 'Make an access token' }),
      });
    });

    server.post('/access-token', { schema: { hide: true }, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const made = await createAccessToken(dependencies, callerOf(request), actorOf(request), {
        name: 'from the browser',
      });
      return showPage(reply, person, 'settings', tokenPage(made.token, toIso(made.expiresAt)));
    });
  };
