import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../platform/index.ts';
import type { Server } from '../contract/routes.ts';
import { addAsset } from './assets.ts';
import type { Page } from './page.ts';

const read = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');

/** Returns the frame of a page for the person who requests it. */
export type FrameOf = (request: FastifyRequest) => Promise<Pick<Page, 'masthead' | 'scripts'>>;

/** The URLs of the files that the page loads. */
type DocsFiles = { document: string; library: string; libraryStyles: string; styles: string; script: string };

/** The operations of one tag. */
export type DocsGroup = {
  name: string;
  description: string | null;
  operations: readonly { method: string; path: string; summary: string }[];
};

const groupSection = ({ name, description, operations }: DocsGroup): Html =>
  html`<section><h2>${name}${description && html` <small>${description}</small>`}</h2>
<ul>${operations.map(({ method, path, summary }) => html`<li><b>${method}</b> <code>${path}</code> <span>${summary}</span></li>`)}</ul></section>`;

/**
 * The API docs, in the frame of all pages. The list of operations is shown at once, even without JavaScript. Swagger
 * UI, which is much larger, replaces it. Swagger UI is not a module, so it's loaded as a classic script.
 */
export const docsPage = (
  groups: readonly DocsGroup[],
  files: DocsFiles,
  frame: Awaited<ReturnType<FrameOf>>,
): Page => ({
  ...frame,
  title: 'API docs',
  content: html`<p>Every request, with a form to try it. <a href="/openapi.json">Download openapi.json</a></p>
<noscript><p>Trying requests out needs JavaScript.</p></noscript>
<link rel="stylesheet" href="${files.libraryStyles}">
<link rel="stylesheet" href="${files.styles}">
<link rel="preload" as="fetch" crossorigin="anonymous" href="${files.document}">
<div id="operation-list" data-document="${files.document}">${groups.map(groupSection)}</div>
<script src="${files.library}" defer></script>
<script type="module" src="${files.script}"></script>`,
});

export const addDocsAssets = (server: Server): Pick<DocsFiles, 'styles' | 'script'> => ({
  styles: addAsset(server, { name: 'docs.css', type: 'text/css', content: read('docs.css') }),
  script: addAsset(server, { name: 'docs.js', type: 'text/javascript', content: read('docs.js') }),
});
