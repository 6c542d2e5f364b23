import type { Routes } from '../../http/index.ts';
import { html } from '../../platform/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';

export const callPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get('/calls', { schema: { hide: true }, config: PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      return showPage(reply, person, 'calls', { title: 'Calls', content: html`<p>…</p>` });
    });
  };
