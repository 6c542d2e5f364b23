import type { Dialect } from './dialect.ts';
import type { Params } from './params.ts';

const WORD = /^[a-z-]{1,20}$/;
const WHOLE_NUMBER = /^-?\d{1,9}$/;
const TIME =
  /^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:\+0000|GMT|UTC)|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)$/;
const PARTY = /^(?:\+?\d{2,20}|sips?:.+|client:.+|anonymous|restricted|unavailable|unknown|private)$/i;

/** What every value that matters here looks like. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [WORD, 'CallStatus DialCallStatus RecordingStatus Direction'],
  [/^[a-z-]{1,40}$/, 'CallbackSource'],
  [/^(?:true|false)$/, 'DialBridged'],
  [WHOLE_NUMBER, 'CallDuration DialCallDuration RecordingDuration SequenceNumber RecordingChannels ErrorCode'],
  [TIME, 'Timestamp RecordingStartTime'],
  [/^[\d*#]{1,32}$/, 'Digits'],
  [/^[A-Za-z]{1,40}$/, 'RecordingSource'],
  [/^https?:\/\/\S{1,1000}$/, 'RecordingUrl'],
];
const VALUES: ReadonlyMap<string, RegExp> = new Map(
  RULES.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule] as const)),
);
const PARTIES: ReadonlySet<string> = new Set(['From', 'To']);
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;

/** A value that goes on with the next name: names that no person and no place has, and the others with such a value. */
const SWALLOWED =
  /(?:Account|Call|Recording|Conference)Sid|Call(?:Status|Duration|backSource)|Dial(?:Call|Bridged)|Recording(?:Status|Duration|Url|Channels|Source|StartTime)|SequenceNumber|ErrorCode\d|Direction(?:in|out)bound|Timestamp(?:[A-Z][a-z]{2},|\d{4}-)|(?:From|To)\+?\d{3}|Digits[\d*#]/;

/** A number that goes on with letters has swallowed a name. */
const isPlainParty = (value: string): boolean => !/^\+?\d{3,}[A-Za-z]/.test(value) && !SWALLOWED.test(value);

export const createGrammar = ({ ids }: Dialect) => {
  const rules = new Map([...VALUES, ...Object.entries(ids)]);
  const byLetter = Map.groupBy([...rules, ...[...PARTIES].map((name) => [name, PARTY] as const)], ([name]) => name[0]);

  /** The pair may have been one that matters, whose name was cut elsewhere. */
  const isCut = (name: string, value: string): boolean => {
    const text = `${name}${value}`;
    const candidates = byLetter.get(text[0]) ?? [];
    return candidates.some(
      ([other, rule]) =>
        other !== name && text.length > other.length && text.startsWith(other) && rule.test(text.slice(other.length)),
    );
  };

  /** What nothing is read from: it only must not be a part of something else. */
  const isAside = (name: string, value: string): boolean =>
    NAME.test(name) && !SWALLOWED.test(value) && !isCut(name, value);

  const fits = (name: string, value: string): boolean => {
    const rule = rules.get(name);
    if (rule) return value === '' || (rule.test(value) && !SWALLOWED.test(value));
    return PARTIES.has(name) ? isPlainParty(value) : isAside(name, value);
  };

  /**
   * The signature covers names and values without anything between them, so that one captured signature also fits
   * params that are cut elsewhere. What could have been cut is not believed.
   */
  return (params: Params): boolean => {
    if (!params.get('CallSid') && !params.get('RecordingSid')) return false;
    for (const [name, value] of params) if (!fits(name, value)) return false;
    return true;
  };
};
