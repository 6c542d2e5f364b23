import type { ApprovalView } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { showText } from '../display/shown-text.ts';
import { APPROVALS, shortWords } from './approval-words.ts';

const countWords = (count: number): string => (count === 1 ? 'Another request waits' : `${count} other requests wait`);

/** Leads on to the next request that waits. `state`: of the request that the page is about. */
export const nextSection = (state: ApprovalView['state'], waiting: readonly ApprovalView[]): Html | null => {
  const [next] = waiting;
  const isDecided = state !== 'waiting';
  if (!next) return isDecided ? html`<p>Nothing else waits for an approval.</p>` : null;
  return html`<section class="next"><p>${countWords(waiting.length)}. Next: ${showText(next.token.name)}, <code>${showText(shortWords(next))}</code></p>
<p><a${isDecided && html` class="button"`} href="${APPROVALS.path}/${next.id}">Go to the next request</a></p></section>`;
};
