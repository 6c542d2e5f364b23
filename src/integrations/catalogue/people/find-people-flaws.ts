import { listTexts } from '../flaws/list-texts.ts';
import { CALL_VALUES, type CallLog, type CrmAsk, NUMBER_VALUES, type PeopleRules } from './people.ts';

const PLACEHOLDER = /\{([^{}]*)\}/g;

type Rest = {
  /** Names of hosts that the API has. */
  hosts: ReadonlySet<string>;
  /** Placeholders that every connection has a value for. */
  known: ReadonlySet<string>;
};

const findUnknown = (value: unknown, path: string, known: ReadonlySet<string>): string[] =>
  listTexts(value, path).flatMap(([at, text]) =>
    [...text.matchAll(PLACEHOLDER)]
      .map(([, written = '']) => written.replace(/:number$/, ''))
      .filter((name) => !known.has(name))
      .map((name) => `${at} uses {${name}}, which has no value there`),
  );

const findAskFlaws = (
  { method, host, path, query, body }: CrmAsk,
  at: string,
  { hosts, known }: Rest,
  own: readonly string[],
): string[] => [
  ...(host === undefined || hosts.has(host) ? [] : [`${at}/host is "${host}", which is not in /api/hosts`]),
  ...(method === 'GET' && body !== undefined ? [`${at}/body means nothing with GET`] : []),
  ...findUnknown({ path, query, body }, at, known.union(new Set(own))),
];

/** Finds requests to hosts that the API doesn't have, and placeholders that have no value. */
export const findPeopleFlaws = (people: PeopleRules | null, log: CallLog | null, rest: Rest): string[] => [
  ...(people?.search ?? []).flatMap((ask, index) => findAskFlaws(ask, `/people/search/${index}`, rest, NUMBER_VALUES)),
  ...(people ? findUnknown(people.url, '/people/url', rest.known.union(new Set(['id']))) : []),
  ...(log
    ? [
        ...findAskFlaws(log.create, '/log/create', rest, CALL_VALUES),
        ...findAskFlaws(log.update, '/log/update', rest, CALL_VALUES),
        ...findAskFlaws(log.find, '/log/find', rest, CALL_VALUES),
        ...(people ? [] : ['/log needs /people, which finds the contact']),
      ]
    : []),
];
