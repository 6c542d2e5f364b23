import { type Html, html } from '../../platform/index.ts';
import { copyBlock } from '../display/copy-button.ts';

/** A URL that can be copied. Long URLs break after slashes. */
export const urlBlock = (what: string, url: string | null): Html =>
  copyBlock(what, html`${(url ?? '').split(/(?<=[^/]\/)(?!\/)/).map((part) => html`${part}<wbr>`)}`);
