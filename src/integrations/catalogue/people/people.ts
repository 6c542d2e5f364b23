import type { Static } from 'typebox';
import { Type } from '../../../platform/index.ts';
import { Path, strict, Text, Texts } from '../entry-fields.ts';

/*
 * How callers are found at a provider, and how calls are logged there.
 *
 * Texts may contain {placeholders}: those of `api`, `installation_id`, and the ones below. A value of a body that consists
 * only of a placeholder with `:number` becomes a number. If a placeholder has no value, the field that contains it is left
 * out, and so is an object of a list.
 *
 * In `people`, for the number that is looked up: `e164` (+15555550123), `allDigits` (15555550123), and `national`
 * (5555550123, without the country code).
 *
 * In `log`, for the call: `call` (its ID here), `log` (the ID of its entry there), `person` (the ID of the contact),
 * `title`, `text` and `html` (what there is to say, with links), `from`, `to`, `direction`, `outcome`, `started` and
 * `ended` (ISO 8601), `startedMs`, `date`, `time` (UTC), `seconds`, `milliseconds`, `minutes` (HH:MM, rounded up), and
 * `since` (shortly before the entry was sent).
 */

/** A request to the API of the connection. */
const Ask = Type.Object(
  {
    method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH']),
    /** The name of one of `api.hosts`, if the request doesn't go to `api.url`. */
    host: Type.Optional(Text),
    path: Type.String({ pattern: '^/[^?#]*$', description: 'a path, which begins with /' }),
    query: Type.Optional(Texts),
    /** Sent as JSON. */
    body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  strict,
);

/** The path of a list in a response. Empty if the response is the list. */
const List = Type.String({ maxLength: 200 });

/** How a phone number is looked up. */
export const PeopleRules = Type.Object(
  {
    /** Tried one after the other, until one finds somebody. */
    search: Type.Array(Ask, { minItems: 1, maxItems: 3 }),
    items: List,
    /**
     * Where an item has phone numbers: texts, or lists of them. An item counts only if one of them is the number, because
     * searches also find parts of numbers, and numbers of other countries.
     */
    numbers: Type.Array(Path, { minItems: 1, maxItems: 10 }),
    id: Path,
    /** A text with paths in an item: `{properties.firstname}`. The first one that isn't empty is used. */
    name: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 3 }),
    /** The page of a contact, for people. `{id}` stands for the item's ID. */
    url: Type.String({ pattern: '^(https?://|\\{)', maxLength: 500 }),
    /** What the connection has to be allowed, for people. */
    needs: Type.Optional(Text),
  },
  strict,
);

const Words = Type.Record(Type.String(), Text);

/** How a call is logged. */
export const CallLog = Type.Object(
  {
    create: Ask,
    /** Where the response to `create` has the entry's ID. */
    id: Path,
    update: Ask,
    /** How an entry is found by our call's ID, after it's unclear whether it was made. */
    find: Type.Object(
      {
        ...Ask.properties,
        items: List,
        id: Path,
        /** Where an item has a text with our call's ID. Without it, the request itself finds only that call. */
        where: Type.Optional(Path),
        /** Has a value if there are more items than listed. Then, not finding the call proves nothing. */
        more: Type.Optional(Path),
        /** How long it takes until an entry can be found. */
        settlesSeconds: Type.Integer({ minimum: 0, maximum: 3_600 }),
      },
      strict,
    ),
    /** The provider's words for ours: outcomes of calls (and `default`), and directions. */
    words: Type.Optional(Type.Object({ outcome: Type.Optional(Words), direction: Type.Optional(Words) }, strict)),
    needs: Type.Optional(Text),
  },
  strict,
);

export type PeopleRules = Static<typeof PeopleRules>;
export type CallLog = Static<typeof CallLog>;
export type CrmAsk = Static<typeof Ask>;

/** Placeholders that the number has, and those that the call has. */
export const NUMBER_VALUES = ['e164', 'allDigits', 'national'] as const;
export const CALL_VALUES = [
  ...['call', 'log', 'person', 'title', 'text', 'html', 'from', 'to', 'direction', 'outcome', 'started', 'ended'],
  ...['startedMs', 'date', 'time', 'seconds', 'milliseconds', 'minutes', 'since'],
] as const;
