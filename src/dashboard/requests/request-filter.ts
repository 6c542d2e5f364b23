import type { Static } from 'typebox';
import type { Integrations } from '../../integrations/index.ts';
import { Type } from '../../platform/index.ts';
import { DayText, startOfEnteredDay } from '../day.ts';

const PAGE_LENGTH = 30;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const RESULTS = ['failed', '2xx', '3xx', '4xx', '5xx'] as const;

/** The query of the list. A form also sends empty fields, which are ignored. */
export const EnteredRequestFilter = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  connection: Type.Optional(Type.String({ maxLength: 60 })),
  /** Who called, as `callerKeyOf` says it. */
  by: Type.Optional(Type.String({ maxLength: 100 })),
  result: Type.Optional(Type.Enum(['', ...RESULTS])),
  method: Type.Optional(Type.Enum(['', ...METHODS])),
  since: Type.Optional(DayText),
});
export type EnteredRequestFilter = Static<typeof EnteredRequestFilter>;

/** Whose requests are listed. The other fields narrow them down. */
export const SUBJECT = ['provider', 'connection', 'by'] as const;
const FIELDS = [...SUBJECT, 'result', 'method', 'since'] as const;

/** The fields of the filter that are filled in. */
const filterOf = (query: EnteredRequestFilter): [name: string, value: string][] =>
  FIELDS.flatMap((name) => (query[name] ? [[name, query[name]]] : []));

/** The URL of a list of requests. */
export const requestsAddress = (query: EnteredRequestFilter): string => {
  const search = new URLSearchParams(filterOf(query));
  return search.size === 0 ? '/requests' : `/requests?${search}`;
};

/** Only whose requests are listed, without what narrows them down. A caller narrows down those of a connection. */
export const subjectOf = ({ provider, connection, by }: EnteredRequestFilter): EnteredRequestFilter => {
  if (!provider) return by ? { by } : {};
  return { provider, ...(connection && { connection }) };
};

/** Whether something narrows the list down. */
export const isNarrowed = (query: EnteredRequestFilter): boolean =>
  requestsAddress(query) !== requestsAddress(subjectOf(query));

type RequestQuery = Parameters<Integrations['listRequests']>[1];

/** Converts the filter to a query of requests. The day begins in the team's time zone. */
export const toRequestQuery = (query: EnteredRequestFilter, timeZone: string): RequestQuery => {
  const { cursor, provider, connection, by, result, method, since } = query;
  const statusClass = result && result !== 'failed' ? Number(result[0]) : undefined;
  return {
    limit: PAGE_LENGTH,
    ...(cursor && { cursor }),
    provider: provider || undefined,
    connection: connection || undefined,
    caller: by || undefined,
    method: method || undefined,
    statusClass,
    // These are failures. Saying so leaves out what would otherwise be opened in vain.
    failed: result === 'failed' || statusClass === 4 || statusClass === 5,
    ...(since && { since: startOfEnteredDay({ path: 'since', text: since }, timeZone) }),
  };
};
