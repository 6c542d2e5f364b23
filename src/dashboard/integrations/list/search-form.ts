import { readFileSync } from 'node:fs';
import { type Html, html } from '../../../platform/index.ts';

export const SEARCH_SCRIPT = {
  name: 'search-providers.js',
  type: 'text/javascript',
  content: readFileSync(new URL('./search.js', import.meta.url), 'utf8'),
} as const;

/** The search for providers. Shows results while a person types (`search.js`), or when submitted. */
export const providerSearchForm = (q: string, count: number): Html =>
  html`<form class="provider-search" role="search" action="/integrations">
<label class="unseen" for="q">Find a provider</label><input id="q" name="q" type="search" value="${q}" maxlength="100" placeholder="Search ${count} providers" autocomplete="off" spellcheck="false"><button class="plain">Search</button>
<p class="unseen" role="status"></p></form>`;
