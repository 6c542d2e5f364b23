import { readFileSync } from 'node:fs';
import { type Html, html } from '../../platform/index.ts';
import type { Server } from '../contract/routes.ts';
import { addAsset } from './assets.ts';
import type { Page } from './page.ts';

const read = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');

/** The API docs, in the frame of all pages. Swagger UI is no module, so it comes as a script of the old kind. */
export const docsPage = (navigation: Html | null): Page => ({
  title: 'API docs',
  ...(navigation && { masthead: navigation }),
  content: html`<p>Every request, with a form to try it. <a href="/openapi.json">Download openapi.json</a></p>
<noscript><p>Trying requests out needs JavaScript.</p></noscript>
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/assets/docs.css">
<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script type="module" src="/assets/docs.js"></script>`,
});

export const addDocsAssets = (server: Server): void => {
  addAsset(server, { name: 'docs.css', type: 'text/css', content: read('docs.css') });
  addAsset(server, { name: 'docs.js', type: 'text/javascript', content: read('docs.js') });
};
