import { type Html, html } from '../../../platform/index.ts';
import { requestsAddress } from '../../requests/request-filter.ts';
import type { Described } from './containment-words.ts';

/** What stopping only a token leaves, with a link to what it did. */
export const tokenUseWords = ({ filters: { token } }: Described): Html =>
  html`What the token was used with isn’t stopped: connections go on for everybody else, and access that it got from a provider goes on until it’s ended there.${
    token && html` See <a href="${requestsAddress({ by: token.id })}">what it did</a>.`
  }`;
