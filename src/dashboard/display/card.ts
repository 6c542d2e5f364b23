import { type Html, html } from '../../platform/index.ts';
import { countOf } from './tabs.ts';

type Card = {
  title: string;
  /** A count beside the title. */
  count?: number;
  /** Shown beside the title, such as a pill. */
  beside?: Html | null;
  /** A link to the full list. */
  more?: { href: string; words: string } | null;
  content: Html;
  /** Whether rows reach from edge to edge of the card. */
  isFlush?: boolean;
  id?: string;
};

/** A part of a page under its own heading. */
export const card = ({ title, count, beside, more, content, isFlush, id }: Card): Html =>
  html`<section class="card${isFlush && ' flush'}"${id && html` id="${id}"`}><div class="card-head"><h2>${title}</h2>${count !== undefined && countOf(count)}${beside}${more && html`<a class="more" href="${more.href}">${more.words}</a>`}</div>
${content}</section>`;
