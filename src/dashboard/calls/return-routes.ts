import { Type } from '../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../pages.ts';
import { callsAddress, readAddress } from './call-filter.ts';
import { createCallPresenter } from './show-calls.ts';

const MOST_SELECTED = 100;

const Id = Type.String({ maxLength: 60 });
/** The form's fields. Browsers send one ticked checkbox as a text, several as a list, and nothing if none is ticked. */
const Selected = Type.Object({
  id: Type.Optional(Type.Union([Id, Type.Array(Id, { maxItems: MOST_SELECTED })])),
  back: Type.Optional(Type.String({ maxLength: 4_000 })),
});

const listIds = (id: string | readonly string[] | undefined): string[] => (id === undefined ? [] : [id].flat());

/** The URL of the list that the form was on, with a message to show. */
const backTo = (address: string | undefined, say: Readonly<Record<string, string>>): string => {
  const query = readAddress(address ?? '');
  const path = callsAddress('/calls', query, query.cursor);
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(say)}`;
};

/** Marks calls as returned, and undoes that. Marks all attempts of a caller, because one call back is enough. */
export const returnRoutes: PageRoutes = ({ form }, context) => {
  const { markReturned, unmarkReturned } = context.telephony.calls;
  const { showCalls, showCall } = createCallPresenter(context);

  for (const [done, change] of [
    ['returned', markReturned],
    ['reopened', unmarkReturned],
  ] as const) {
    form(
      `/calls/${done}`,
      { access: 'member', body: Selected },
      async ({ caller, actor, body }) => {
        const ids = listIds(body.id);
        if (ids.length === 0) return backTo(body.back, { done: 'none' });
        await change(caller, actor, { ids, allAttempts: true });
        return backTo(body.back, { done, ...(done === 'returned' && { marked: ids.join(' ') }) });
      },
      ({ person }) => showCalls(person, {}),
    );

    form(
      `/calls/:id/${done}`,
      { access: 'member', params: ByPageId },
      async ({ caller, actor, params: { id } }) => {
        await change(caller, actor, { ids: [id], allAttempts: true });
        return `/calls/${id}?done=${done}`;
      },
      ({ person, params }) => showCall(person, params.id),
    );
  }
};
