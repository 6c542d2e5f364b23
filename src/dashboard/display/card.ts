import { type Html, html } from '../../platform/index.ts';
import { countOf } from './tabs.ts';

type Card = {
  title: string;
  /** How many there are. */
  count?: number;
  /** What is beside the title: a pill, say. */
  beside?: Html | null;
  /** A link to the rest. */
  more?: { href: string; words: string } | null;
  content: Html;
  /** Its rows reach from edge to edge. */
  isFlush?: boolean;
  id?: string;
};

/** A part of a page under its own heading. */
export const card = ({ title, count, beside, more, content, isFlush, id }: Card): Html =>
  html`<section class="card${isFlush && ' flush'}"${id && html` id="${id}"`}><div class="card-head"><h2>${title}</h2>${count !== undefined && countOf(count)}${beside}${more && html`<a class="more" href="${more.href}">${more.words}</a>`}</div>
${content}</section>`;
