import { type Html, html } from '../../platform/index.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;

/** Says that calls were marked, and offers to take it back. */
export const returnedNotice = (person: Person, ids: readonly string[], back: string): Html => {
  const fields = html`${ids.map((id) => hidden('id', id))}${hidden('back', back)}`;
  return html`<div class="notice good undoes" role="status"><p>${ids.length === 1 ? 'Marked as returned.' : `${ids.length} callers are marked as returned.`}</p>
${postForm(person, { action: '/calls/reopened', content: fields, button: 'Undo', kind: 'plain' })}</div>`;
};
