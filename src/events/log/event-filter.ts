import { Type } from '../../platform/index.ts';
import { EVENT_TYPES, type Event, type EventType, OPERATOR_ONLY, PROVIDER_EVENT, UNMATCHED } from './event.ts';

/**
 * What to read of the log: a type, what happened at the accounts of one provider, only one of this provider's types, or
 * everything that happened in Patchbay itself but some types.
 */
export type EventFilter =
  | { type: EventType }
  | { provider: string; topic?: string | undefined }
  | { leavingOut: readonly EventType[] };

const ALL = '*';
const groupOf = (type: EventType): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** Types that have to be chosen by name. Endpoints from before they existed get nothing new. */
const NAMED_ONLY: readonly EventType[] = ['test', PROVIDER_EVENT, UNMATCHED];

const isGrouped = (type: EventType): boolean => !NAMED_ONLY.includes(type);

/** A provider's type is at most 200 characters, none of which is a control character, without spaces at its ends. */
const TOPIC = '[^\\u0000-\\u0020\\u007f](?:[^\\u0000-\\u001f\\u007f]{0,198}[^\\u0000-\\u0020\\u007f])?';
/** A choice of one provider's events, or of one of its types. */
export const OfProvider = Type.String({
  pattern: `^provider\\.event:[a-z0-9-]{1,40}(?:/${TOPIC})?$`,
  description: "One provider's events, or only one of its types",
  examples: ['provider.event:github', 'provider.event:github/issues'],
});
const PARTS = new RegExp(`^provider\\.event:([a-z0-9-]{1,40})(?:/(${TOPIC}))?$`, 'u');

/** What an endpoint can subscribe to by a fixed name: a type, a group like `call.*`, or `*`. */
export const choicesOf = (forOperator: boolean): string[] => {
  const types = EVENT_TYPES.filter((type) => forOperator || !OPERATOR_ONLY.includes(type));
  const groups = new Set(types.filter(isGrouped).map(groupOf));
  return [ALL, ...groups, ...types.filter((type) => type !== 'test' && type !== UNMATCHED)];
};

/** The same for the log, in which there are also tests and, for the operator, what fits no connection. */
export const choicesOfLog = (forOperator: boolean): string[] => [
  ...choicesOf(forOperator),
  'test',
  ...(forOperator ? [UNMATCHED] : []),
];

/** Whether a text can be chosen in the log. */
export const isChoice = (text: string, forOperator: boolean): boolean =>
  PARTS.test(text) || choicesOfLog(forOperator).includes(text);

/** The filter of a choice of one provider's events. Null if it's another choice. */
const parseOfProvider = (choice: string) => {
  const [, provider, topic] = PARTS.exec(choice) ?? [];
  return provider === undefined ? null : { provider, topic };
};

const toType = (type: EventType): EventFilter => ({ type });

/** The filters of some choices. No event fits two of them, so that each is read once. */
export const toFilters = (choices: readonly string[]): EventFilter[] => {
  const isAll = choices.includes(ALL);
  const types = EVENT_TYPES.filter((type) =>
    isGrouped(type) ? !isAll && (choices.includes(type) || choices.includes(groupOf(type))) : choices.includes(type),
  );
  const filters = types.map(toType);
  if (isAll) filters.push({ leavingOut: ['test'] });
  if (types.includes(PROVIDER_EVENT)) return filters;
  const asked = [...new Set(choices)].map(parseOfProvider).filter((filter) => filter !== null);
  const whole = new Set(asked.filter(({ topic }) => topic === undefined).map(({ provider }) => provider));
  return [...filters, ...asked.filter(({ provider, topic }) => topic === undefined || !whole.has(provider))];
};

/** Everything in a team's log, or in the operator's. */
export const filtersOfLog = (forOperator: boolean): EventFilter[] =>
  forOperator
    ? [{ leavingOut: [] }, toType(PROVIDER_EVENT), toType(UNMATCHED)]
    : [{ leavingOut: OPERATOR_ONLY }, toType(PROVIDER_EVENT)];

type Kind = Pick<Event, 'type' | 'provider' | 'topic'>;

/** Whether one of the filters fits an event. */
export const fitsAny = (filters: readonly EventFilter[], event: Kind): boolean =>
  filters.some((filter) => {
    if ('type' in filter) return filter.type === event.type;
    if ('leavingOut' in filter) return event.provider === null && !filter.leavingOut.includes(event.type);
    const { provider, topic = event.topic } = filter;
    return provider === event.provider && topic === event.topic;
  });
