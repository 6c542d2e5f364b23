import type { EventLine } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { EVENT_TYPE_WORDS } from './event-type-words.ts';

type History = {
  lines: readonly EventLine[];
  region: Region;
  /** Names the subject of a line, for a history with several subjects. */
  nameOf?(subject: string): string | undefined;
};

/** The latest events about a subject. Null if there are none in the last 30 days. */
export const historySection = ({ lines, region, nameOf }: History): Html | null => {
  if (lines.length === 0) return null;
  const line = ({ id, type, subject, at }: EventLine): Html => {
    const name = nameOf?.(subject);
    return html`<li>${moment(at, region)} <a href="/events/${id}">${EVENT_TYPE_WORDS[type]}</a>${name && html` <span class="quiet">${name}</span>`}</li>
`;
  };
  return html`<section class="history"><h2>History</h2>
<p class="quiet">What happened here lately, newest first. Open an event for its details and the exact message that your endpoints get.</p>
<ul>${lines.map(line)}</ul></section>`;
};
