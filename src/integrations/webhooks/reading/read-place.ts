import { pick, pickText } from '../../catalogue/pick.ts';
import { fillTemplate, listPlaces, type MessagePlace } from '../../catalogue/webhook/template.ts';
import { toLabel } from '../../requests/fetch-holder.ts';
import { type Known, type Message, readTextHeader } from './message.ts';

/** The most characters of a value from a message. A longer value counts as missing. */
const MOST_CHARACTERS = 500;

/** How many accounts an item can name. */
const MOST_VALUES = 100;

const isShort = (text: string | null, most = MOST_CHARACTERS): text is string => text !== null && text.length <= most;

const valueAt = (known: Known, { source, path }: MessagePlace): unknown => {
  if (source === 'item') return pick(known.item, path);
  return source === 'claim' ? pick(known.claims, path) : pick(known.content, path);
};

const read = (message: Message, known: Known, place: MessagePlace): string | null => {
  if (place.source === 'header') return readTextHeader(message, place.path);
  if (place.source === 'query') return new URLSearchParams(message.query).get(place.path) || null;
  if (place.source === 'signature') return known.parts?.get(place.path) ?? null;
  const value = valueAt(known, place);
  return typeof value === 'boolean' ? String(value) : pickText(value, ['']);
};

/** Creates a reader of the places in a message. A longer text than `most` characters counts as missing. */
export const createPlaceReader =
  (message: Message, known: Known, most?: number) =>
  (place: MessagePlace): string | null => {
    const text = read(message, known, place);
    return isShort(text, most) ? text : null;
  };

export type PlaceReader = ReturnType<typeof createPlaceReader>;

/** Lists the values of a template. A template that is a single place may have a list there, which names several. */
export const listValues = (template: string, message: Message, known: Known): string[] => {
  const [place, ...others] = listPlaces(template);
  const isSingle = place && others.length === 0 && template.startsWith('{') && template.endsWith('}');
  const found = isSingle && !/^(?:header|query|signature)$/.test(place.source) ? valueAt(known, place) : undefined;
  const texts = Array.isArray(found)
    ? found.slice(0, MOST_VALUES).map((one) => pickText(one, ['']))
    : [fillTemplate(template, createPlaceReader(message, known))];
  // As stored IDs are cleaned, or they couldn't be compared.
  return texts.filter((text) => isShort(text)).flatMap((text) => toLabel(text) ?? []);
};
