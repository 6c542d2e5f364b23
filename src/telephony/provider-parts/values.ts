/** Fields of a payload. These functions read values that several providers write alike, and drop absurd ones. */
export type Fields = Readonly<Record<string, unknown>>;

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const LONGEST_MS = 7 * 24 * 3_600_000;
const ZONE = /(?:z|gmt|utc|[+-]\d\d:?\d\d)$/i;

/** Makes a map from a provider's words to their meanings, given as `{ no_answer: 'timeout unanswered' }`. */
export const wordsFor = <Meaning extends string>(
  words: Readonly<Partial<Record<Meaning, string>>>,
): ReadonlyMap<string, Meaning> =>
  new Map(
    (Object.entries(words) as [Meaning, string][]).flatMap(([meaning, list]) =>
      list.split(' ').map((word) => [word, meaning] as const),
    ),
  );

export const textOf = (fields: Fields, name: string): string | null => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Parses a time. Without a zone it is UTC. */
export const toInstant = (text: string | null): number | null => {
  if (text === null) return null;
  const instant = Date.parse(ZONE.test(text) ? text : `${text}Z`);
  return Number.isNaN(instant) ? null : instant;
};

export const toDurationMs = (ms: number): number | null => (ms >= 0 && ms <= LONGEST_MS ? ms : null);

export const msBetween = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : toDurationMs(to - from);

/** Parses whole seconds. */
export const toSeconds = (text: string | null): number | null => {
  const seconds = text ? Number(text) : Number.NaN;
  return Number.isInteger(seconds) && toDurationMs(seconds * 1_000) !== null ? seconds : null;
};

export const toChannels = (value: unknown): 1 | 2 | null =>
  value === 1 || value === '1' ? 1 : value === 2 || value === '2' ? 2 : null;
