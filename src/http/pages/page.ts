import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Html, html, type Refusal } from '../../platform/index.ts';
import type { Server } from '../contract/routes.ts';
import { addAsset } from './assets.ts';

/** Whose page it is, if it's shown to customers of the operator's product. */
export type Brand = { name: string; logo: string | null; styles: string | null };

export type Page = {
  title: string;
  content: Html;
  /** What's beside the name at the top when someone is signed in. */
  masthead?: Html;
  /** Our own modules under `/assets/`. */
  scripts?: readonly string[];
  brand?: Brand;
  /** Where the browser goes by itself, from a form that may not redirect there (Content-Security-Policy, form-action). */
  next?: string;
};

const FRAME_STYLE = readFileSync(new URL('./page.css', import.meta.url), 'utf8');

/** Two sockets and the cable between them. */
const MARK = html`<svg class="mark" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true"><circle cx="5" cy="6" r="4"/><circle cx="27" cy="6" r="4"/><path d="M5 6c0 16 22 16 22 0"/></svg>`;

const brandOf = ({ name, logo }: Brand): Html =>
  html`<span class="brand">${logo && html`<img src="${logo}" alt="" height="32">`}${name}</span>`;

/** The frame of every page. */
export const renderPage = ({ title, content, masthead, scripts = [], brand, next }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${next && html`<meta http-equiv="refresh" content="0;url=${next}">`}
<title>${title} · ${brand?.name ?? 'Patchbay'}</title>
<link rel="stylesheet" href="/assets/patchbay.css">
${brand?.styles && html`<link rel="stylesheet" href="${brand.styles}">`}
<link rel="icon" href="data:,">
${scripts.map((script) => html`<script type="module" src="/assets/${script}"></script>`)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="masthead">${brand ? brandOf(brand) : html`<a class="brand" href="/">${MARK}Patchbay</a>`}${masthead}</header>
<main id="content"${masthead ? html` class="wide"` : ''}>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.toString();

export const HTML_TYPE = 'text/html; charset=utf-8';

export const asksForHtml = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  /text\/html/i.test(headers.accept ?? '');

export const sendPage = (reply: FastifyReply, status: number, page: Page): FastifyReply =>
  reply.code(status).type(HTML_TYPE).send(renderPage(page));

/**
 * Where a finished form leads: a path of ours. If it may redirect to another site it becomes a link, because a form may
 * not lead there (Content-Security-Policy, form-action), and because nobody should leave this site without asking to.
 */
export const leadOn = (reply: FastifyReply, path: string): FastifyReply =>
  path.startsWith('/api/')
    ? sendPage(reply, 200, { title: 'Continue', content: html`<p><a class="button" href="${path}">Continue</a></p>` })
    : reply.redirect(path, 303);

/** A refusal, for a person. */
export const refusalPage = ({ status, message, errors = [] }: Refusal, requestId: string): Page => ({
  title: status === 404 ? 'Page not found' : 'Something went wrong',
  content: html`<p>${message}</p>
${errors.length > 0 ? html`<ul>${errors.map(({ path, message: flaw }) => html`<li><code>${path}</code> ${flaw}</li>`)}</ul>` : ''}
<p><a href="/">Home</a></p>
<p class="quiet">Request ID: ${requestId}</p>`,
});

/** One style sheet for all pages: the frame, and what the rooms above add to it. */
export const addStyleRoute = (server: Server, styles: readonly string[]): void =>
  addAsset(server, { name: 'patchbay.css', type: 'text/css', content: [FRAME_STYLE, ...styles].join('\n') });
