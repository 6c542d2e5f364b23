import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { type Html, html, type Refusal } from '../platform/index.ts';
import type { Server } from './server.ts';

export type Page = { title: string; content: Html };

const STYLE = readFileSync(new URL('./page.css', import.meta.url));

/** The frame of every page. */
export const renderPage = ({ title, content }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Patchbay</title>
<link rel="stylesheet" href="/assets/patchbay.css">
<link rel="icon" href="data:,">
</head>
<body>
<header class="masthead"><a class="brand" href="/">Patchbay</a></header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.toString();

export const sendPage = (reply: FastifyReply, status: number, page: Page): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));

/** A refusal as a person sees it. */
export const refusalPage = ({ message, errors = [] }: Refusal, requestId: string): Page => ({
  title: 'That did not work',
  content: html`<p>${message}</p>
${errors.length > 0 ? html`<ul>${errors.map(({ path, message: flaw }) => html`<li><code>${path}</code> ${flaw}</li>`)}</ul>` : ''}
<p class="quiet">Request ${requestId}</p>`,
});

export const addStyleRoute = (server: Server): void => {
  server.get(
    '/assets/patchbay.css',
    { schema: { hide: true }, config: { access: 'anyone' }, exposeHeadRoute: true },
    (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(STYLE),
  );
};
