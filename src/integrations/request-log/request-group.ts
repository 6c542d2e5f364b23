import type { LoggedRequest, RequestSource } from './logged-request.ts';

/** Requests from one source that ended within a second. They are stored as one row. */
export type RequestGroup = RequestSource & { requests: LoggedRequest[]; beganAt: number; characters: number };

/** How much later than its oldest request the newest request of a group can have ended. */
export const GROUP_SPAN_MS = 1_000;
const MOST_REQUESTS = 500;
/** Bounds the memory for a group that is being read. A path has up to 8,000 characters. */
const MOST_CHARACTERS = 64 * 1024;

export const startGroup = (source: RequestSource, now: number): RequestGroup => ({
  ...source,
  requests: [],
  beganAt: now,
  characters: 0,
});

/** Whether a group can take a request that ends now. It can't if the clock was set back, because IDs sort by time. */
export const hasRoom = ({ requests, beganAt, characters }: RequestGroup, now: number): boolean =>
  requests.length < MOST_REQUESTS && characters < MOST_CHARACTERS && now >= beganAt && now < beganAt + GROUP_SPAN_MS;

export const addToGroup = (group: RequestGroup, request: LoggedRequest): void => {
  group.requests.push(request);
  group.characters += request.path.length;
};

/** The fields of a stored request, in the order in which they are stored. */
const FIELDS = [
  'id',
  'at',
  'method',
  'host',
  'path',
  'status',
  'from',
  'failed',
  'retried',
  'ms',
  'requestBytes',
  'responseBytes',
  'traceId',
] as const satisfies readonly (keyof LoggedRequest)[];

export const printRequests = (requests: readonly LoggedRequest[]): string =>
  JSON.stringify(requests.map((request) => FIELDS.map((field) => request[field])));

export const parseRequests = (text: string): LoggedRequest[] =>
  (JSON.parse(text) as unknown[][]).map((values) =>
    Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])),
  ) as LoggedRequest[];
