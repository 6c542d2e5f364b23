import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Html, html, type Refusal } from '../../platform/index.ts';

/** The brand of the operator's product, on pages that are shown to its customers. */
export type Brand = { name: string; logo: string | null; styles: string | null };

export type Page = {
  title: string;
  /** A logo before the title. */
  mark?: Html | undefined;
  /** The section of the page, for the title of the window. */
  place?: string | undefined;
  content: Html;
  /** Links to the pages above this one, shown above the title. */
  trail?: Html | null;
  /** The part of the header beside the name, for someone who is signed in. */
  masthead?: Html;
  /** The names of the page's modules under `/assets/`. */
  scripts?: readonly string[];
  brand?: Brand;
  /** What chat apps show about a link to this page. `url` is the public base URL. */
  social?: { url: string; description: string };
  /**
   * The URL to which the page forwards the browser. For a form whose response may not redirect there
   * (Content-Security-Policy, form-action).
   */
  next?: string;
};

/** The logo: two sockets and the cable between them. */
const MARK = html`<svg class="mark" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true"><circle cx="5" cy="6" r="4"/><circle cx="27" cy="6" r="4"/><path d="M5 6c0 16 22 16 22 0"/></svg>`;

const brandOf = ({ name, logo }: Brand): Html =>
  html`<span class="brand">${logo && html`<img src="${logo}" alt="" height="32">`}${name}</span>`;

/** The icon is inline, because a file would be one more request. */
const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(new URL('./icon.svg', import.meta.url), 'utf8').trim())}`;

const ICONS = html`<link rel="icon" type="image/svg+xml" href="${ICON}">
<link rel="apple-touch-icon" href="/assets/touch-icon.png">`;

const socialTags = (title: string, { url, description }: NonNullable<Page['social']>): Html =>
  html`<meta name="description" content="${description}">
<meta property="og:title" content="${title} · Patchbay">
<meta property="og:description" content="${description}">
<meta property="og:image" content="${url}/assets/social.png">
<meta property="og:image:alt" content="Patchbay">
<meta name="twitter:card" content="summary_large_image">`;

/** Renders a page in the frame of all pages. */
export const renderPage = ({
  title,
  mark,
  place,
  content,
  trail,
  masthead,
  scripts = [],
  brand,
  social,
  next,
}: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${next && html`<meta http-equiv="refresh" content="0;url=${next}">`}
<title>${[title, place, brand?.name ?? 'Patchbay'].filter(Boolean).join(' · ')}</title>
<link rel="stylesheet" href="/assets/patchbay.css">
${brand?.styles && html`<link rel="stylesheet" href="${brand.styles}">`}
${brand ? html`<link rel="icon" href="data:,">` : ICONS}
${social && socialTags(title, social)}
${scripts.map((script) => html`<script type="module" src="/assets/${script}"></script>`)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="masthead">${brand ? brandOf(brand) : html`<a class="brand" href="/">${MARK}Patchbay</a>`}${masthead}</header>
<main id="content"${masthead ? html` class="wide"` : ''}>
${trail}<h1${mark && html` class="marked"`}>${mark}${title}</h1>
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
 * Continues to one of our paths after a form. A path under `/api/` may redirect to another site, so it becomes a link
 * instead: the response to a form may not lead there (Content-Security-Policy, form-action), and nobody should leave
 * this site without meaning to.
 */
export const leadOn = (reply: FastifyReply, path: string): FastifyReply =>
  path.startsWith('/api/')
    ? sendPage(reply, 200, { title: 'Continue', content: html`<p><a class="button" href="${path}">Continue</a></p>` })
    : reply.redirect(path, 303);

const REFUSED: Readonly<Record<number, string>> = {
  403: "You can't do this",
  404: 'Page not found',
  429: 'Too many requests',
  503: 'Not available right now',
};

/** Shown to a person who sends a form after their session has ended. `path`: the page that they were on. */
export const signedOutPage = (path: string): Page => ({
  title: 'You’re signed out',
  content: html`<p>Your session has ended, so nothing was changed. Sign in, and then do it again.</p>
<p><a class="button" href="/sign-in?returnTo=${encodeURIComponent(path)}">Sign in</a></p>`,
});

/** Shows a refusal to a person. `navigation` is for someone who is signed in. */
export const refusalPage = (
  { status, message, errors = [] }: Refusal,
  requestId: string,
  navigation?: Html | null,
): Page => ({
  title: REFUSED[status] ?? 'Something went wrong',
  ...(navigation && { masthead: navigation }),
  content: html`<p>${message}</p>
${errors.length > 0 ? html`<ul>${errors.map(({ path, message: flaw }) => html`<li><code>${path}</code> ${flaw}</li>`)}</ul>` : ''}
<p><a class="button plain" href="/">Go to the home page</a></p>
<p class="quiet">Request ID: <code>${requestId}</code></p>`,
});
