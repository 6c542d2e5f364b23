import { type Html, html } from '../../platform/index.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;

/** Says whose calls were marked: the name or number of one caller, or how many callers. */
const sayMarked = (count: number, name: string | null): Html => {
  if (count > 1) return html`${count} callers are marked as returned.`;
  return name === null ? html`Marked as returned.` : html`Marked as returned: <strong>${name}</strong>.`;
};

/** Says that calls were marked, and offers to undo it. `name` is the caller, if there was only one. */
export const returnedNotice = (
  person: Person,
  { ids, name }: { ids: readonly string[]; name: string | null },
  back: string,
): Html => {
  const fields = html`${ids.map((id) => hidden('id', id))}${hidden('back', back)}`;
  return html`<div class="notice good undoes" role="status"><p>${sayMarked(ids.length, name)}</p>
${postForm(person, { action: '/calls/reopened', content: fields, button: 'Undo', kind: 'plain' })}</div>`;
};
