const MOST_CHARACTERS = 4_000;
/** How much texts, lists, and objects are shortened. If the result of one step is still too long, the next is tried. */
const STEPS = [
  { characters: 500, entries: 20 },
  { characters: 100, entries: 5 },
  { characters: 20, entries: 2 },
] as const;

type Step = (typeof STEPS)[number];

const shorten = (value: unknown, step: Step): unknown => {
  if (typeof value === 'string')
    return value.length > step.characters ? `${value.slice(0, step.characters).toWellFormed()}…` : value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, step.entries).map((entry) => shorten(entry, step));
    return value.length > kept.length ? [...kept, `… and ${value.length - kept.length} more`] : kept;
  }
  return typeof value === 'object' && value !== null ? shortenFields(value, step) : value;
};

const shortenFields = (fields: object, step: Step): Record<string, unknown> => {
  const all = Object.entries(fields).map(([name, value]) => [name.slice(0, step.characters), shorten(value, step)]);
  const more = all.length > step.entries ? { '…': `and ${all.length - step.entries} more` } : {};
  return { ...Object.fromEntries(all.slice(0, step.entries)), ...more };
};

/**
 * Formats a detail as JSON of at most 4,000 characters, because entries are kept for a year and the names in them may
 * come from anyone. Cut texts end with an ellipsis.
 */
export const formatAuditDetail = (detail: Record<string, unknown>): string => {
  let text = JSON.stringify(detail);
  for (const step of STEPS) {
    if (text.length <= MOST_CHARACTERS) return text;
    text = JSON.stringify(shortenFields(detail, step));
  }
  return text.length <= MOST_CHARACTERS ? text : JSON.stringify({ '…': 'too long' });
};
