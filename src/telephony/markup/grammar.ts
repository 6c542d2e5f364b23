import type { Dialect } from './dialect.ts';
import type { MarkupParams } from './params.ts';

const WORD = /^[a-z-]{1,20}$/;
const WHOLE_NUMBER = /^-?\d{1,9}$/;
const TIME =
  /^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:\+0000|GMT|UTC)|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)$/;
const PARTY = /^(?:\+?\d{2,20}|sips?:.+|client:.+|anonymous|restricted|unavailable|unknown|private)$/i;

type Rule = readonly [name: string, rule: RegExp];

/** Makes a map of rules by name. Each rule is given with the names that it's for, separated by spaces. */
export const rulesOf = (rules: readonly (readonly [RegExp, string])[]): ReadonlyMap<string, RegExp> =>
  new Map(rules.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule] as const)));

/**
 * Returns a function that checks whether a name and its value, joined, could also be split into another name that has a
 * rule, and a value that fits the rule.
 */
export const couldBeAnother = (rules: readonly Rule[]) => {
  const byLetter = Map.groupBy(rules, ([name]) => name[0]);
  return (name: string, value: string): boolean => {
    const text = `${name}${value}`;
    const candidates = byLetter.get(text[0]) ?? [];
    return candidates.some(
      ([other, rule]) =>
        other !== name && text.length > other.length && text.startsWith(other) && rule.test(text.slice(other.length)),
    );
  };
};

/** The format of every value that is used here. */
const VALUES = rulesOf([
  [WORD, 'CallStatus DialCallStatus RecordingStatus TranscriptionStatus Direction'],
  [/^[a-z-]{1,40}$/, 'CallbackSource'],
  [/^(?:true|false)$/, 'DialBridged'],
  [WHOLE_NUMBER, 'CallDuration DialCallDuration RecordingDuration SequenceNumber RecordingChannels ErrorCode'],
  [TIME, 'Timestamp RecordingStartTime'],
  [/^[\d*#]{1,32}$/, 'Digits'],
  [/^[A-Za-z]{1,40}$/, 'RecordingSource'],
  [/^https?:\/\/\S{1,1000}$/, 'RecordingUrl'],
]);
const PARTIES: ReadonlySet<string> = new Set(['From', 'To']);
/** What somebody said, so it can be any text. */
const SAID = 'TranscriptionText';
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;

/**
 * Matches a value that includes the next parameter's name. Names that are also ordinary words, such as `From`, only
 * match if a typical value follows.
 */
const SWALLOWED =
  /CallerName|(?:Account|Call|Recording|Conference)Sid|Call(?:Status|Duration|backSource)|Dial(?:Call|Bridged)|Recording(?:Status|Duration|Url|Channels|Source|StartTime)|Transcription(?:Sid|Status|Text|Type|Url)|SequenceNumber|ErrorCode\d|Direction(?:in|out)bound|Timestamp(?:[A-Z][a-z]{2},|\d{4}-)|(?:From|To)\+?\d{3}|Digits[\d*#]/;

/** Whether `From` or `To` includes no other parameter. Letters right after a number are the next parameter's name. */
const isPlainParty = (value: string): boolean => !/^\+?\d{3,}[A-Za-z]/.test(value) && !SWALLOWED.test(value);

export const createGrammar = ({ ids }: Dialect) => {
  const rules = new Map([...VALUES, ...Object.entries(ids)]);
  const isCut = couldBeAnother([...rules, ...[...PARTIES].map((name): Rule => [name, PARTY]), [SAID, /^/]]);

  /**
   * Whether a parameter that isn't used here is harmless: joined, its name and value can't be split into one that is
   * used.
   */
  const isAside = (name: string, value: string): boolean =>
    NAME.test(name) && !SWALLOWED.test(value) && !isCut(name, value);

  const fits = (name: string, value: string): boolean => {
    const rule = rules.get(name);
    if (rule) return value === '' || (rule.test(value) && !SWALLOWED.test(value));
    if (name === SAID) return !SWALLOWED.test(value);
    return PARTIES.has(name) ? isPlainParty(value) : isAside(name, value);
  };

  /**
   * Returns false for parameters that could have been split differently into names and values. They are signed without
   * separators, so a captured signature would also be valid for another split.
   */
  return (params: MarkupParams): boolean => {
    if (!params.get('CallSid') && !params.get('RecordingSid')) return false;
    for (const [name, value] of params) if (!fits(name, value)) return false;
    return true;
  };
};
