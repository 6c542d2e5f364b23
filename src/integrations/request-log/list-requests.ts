import {
  AFTER_IDS,
  firstIdAt,
  giveWay,
  type ListPage,
  type PageQuery,
  readPage,
  timeOfId,
  toCursor,
} from '../../platform/index.ts';
import { listEventsByAction } from '../../teams/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { requestCursorInvalid } from '../errors.ts';
import { HAND_OUT, type HandOutDetail } from '../refresh/hand-out-token.ts';
import { callerKeyOf, type LoggedRequest, type RequestSource } from './logged-request.ts';
import { REQUESTS_KEPT_MS } from './prune-requests.job.ts';
import { GROUP_SPAN_MS, parseRequests } from './request-group.ts';
import { type GroupFilter, listGroups } from './request-group-store.ts';
import { openRequests } from './request-log.ts';

/** How many rows are read at once. */
const PIECE = 50;
/** How many hand-outs are looked at for a page. A filter may match few of them, and a program may make very many. */
const MOST_HAND_OUTS = 5_000;
/** How many groups are opened for a page without finding anything in them. */
const MOST_IN_VAIN = 2_000;

/** A request, or an access token that was handed out. Of a hand-out, only some fields are known. */
export type ListedRequest = { id: string; at: number } & Pick<
  RequestSource,
  'provider' | 'connection' | 'accountId' | 'accountLabel' | 'tokenId' | 'tokenName'
> & {
    kind: RequestSource['kind'] | 'hand_out';
    /** What the caller called with. Of a hand-out, only the operator is told apart. */
    via: RequestSource['via'] | null;
    userId: string | null;
    traceId: string | null;
    request: Omit<LoggedRequest, 'id' | 'at' | 'traceId'> | null;
  };

/** Which requests to list. The method and the status are sealed, so groups have to be opened to look at them. */
type RequestFilter = GroupFilter & {
  method?: string | undefined;
  /** The first digit of the status. */
  statusClass?: number | undefined;
  /** Leaves out access tokens that were handed out. */
  isSent?: boolean;
};

export type RequestLogContext = Pick<IntegrationsContext, 'database' | 'clock' | 'vault'>;
/** IDs from `from` on, and below `before`. */
type Range = { from: string; before: string };

/** The lowest ID that no group of requests below `before` can have. A group has the ID of its newest request. */
const endOfGroups = (before: string): string =>
  before === AFTER_IDS ? AFTER_IDS : firstIdAt(timeOfId(before) + GROUP_SPAN_MS);

const byNewest = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? 1 : -1);

const isWanted = (request: LoggedRequest, { failed, method, statusClass }: RequestFilter): boolean =>
  (request.failed || !failed) &&
  (method === undefined || request.method === method) &&
  (statusClass === undefined || Math.floor((request.status ?? 0) / 100) === statusClass);

/** The list isn't read further for this page. The next one continues here. */
type Interruption = { id: string; isInterrupted: true };

/** Reads requests from the log, newest first. Groups can overlap, so a request waits for groups that began before it. */
async function* readRequests(
  { database, vault }: RequestLogContext,
  teamId: string,
  filter: RequestFilter,
  { from, before }: Range,
): AsyncGenerator<ListedRequest | Interruption> {
  let ready: ListedRequest[] = [];
  let below = endOfGroups(before);
  for (let isLast = false, inVain = 0; !isLast; ) {
    // A cursor must lie before the one that this page began with.
    if (inVain >= MOST_IN_VAIN && below < before) {
      yield* ready.filter(({ id }) => id === below);
      return yield { id: below, isInterrupted: true };
    }
    const groups = await listGroups(database, teamId, filter, { from, before: below, limit: PIECE });
    isLast = groups.length < PIECE;
    for (const { requests, ...source } of groups) {
      yield* ready.filter(({ id }) => id > source.id);
      const opened = parseRequests(await openRequests({ vault }, { ...source, requests }));
      const wanted = opened.filter((request) => request.id >= from && request.id < before && isWanted(request, filter));
      const found = wanted.map(({ id, at, traceId = null, ...request }) => ({ ...source, id, at, traceId, request }));
      if (found.length === 0) inVain++;
      ready = [...ready.filter(({ id }) => id <= source.id), ...found].sort(byNewest);
      below = source.id;
      await giveWay();
    }
  }
  yield* ready;
}

/** The class of status 200: what was handed out wasn't refused. */
const HAND_OUT_CLASS = 2;

/** Reads hand-outs from the audit log, newest first. */
async function* readHandOuts(
  { database }: RequestLogContext,
  teamId: string,
  { provider, connection, caller, failed, method, isSent, statusClass = HAND_OUT_CLASS }: RequestFilter,
  { from, before }: Range,
): AsyncGenerator<ListedRequest | Interruption> {
  if (failed || isSent || method !== undefined || statusClass !== HAND_OUT_CLASS) return;
  let below = before;
  for (let isLast = false, seen = 0; !isLast; seen += PIECE) {
    if (seen >= MOST_HAND_OUTS) return yield { id: below, isInterrupted: true };
    const events = await listEventsByAction(database, teamId, { action: HAND_OUT, before: below, limit: PIECE });
    isLast = events.length < PIECE;
    for (const { id, at, target, detail, actor, actorId } of events) {
      if (id < from) return;
      below = id;
      const { connection: name, account, token: used, traceId }: HandOutDetail = JSON.parse(detail ?? '{}');
      if (provider !== undefined && provider !== target) continue;
      if (connection !== undefined && connection !== name) continue;
      const by = {
        via: actor === 'operator' ? actor : used ? ('token' as const) : null,
        userId: actorId,
        tokenId: used?.id ?? null,
      };
      if (caller !== undefined && caller !== callerKeyOf(by)) continue;
      yield {
        ...by,
        id,
        at,
        provider: target ?? '',
        connection: name,
        accountId: account?.id ?? null,
        accountLabel: account?.label ?? null,
        kind: 'hand_out',
        tokenName: used?.name ?? null,
        traceId: traceId ?? null,
        request: null,
      };
    }
    await giveWay();
  }
}

/** Merges two lists that are sorted by ID, newest first. */
async function* mergeNewest<Row extends { id: string }>(
  ...lists: readonly [AsyncGenerator<Row>, AsyncGenerator<Row>]
): AsyncGenerator<Row> {
  const next = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    const [one, other] = next;
    const index = !other || other.done || (one && !one.done && one.value.id > other.value.id) ? 0 : 1;
    const taken = next[index];
    const list = lists[index];
    if (!taken || taken.done || !list) return;
    yield taken.value;
    next[index] = await list.next();
  }
}

export type RequestQuery = PageQuery & RequestFilter & { since?: number | undefined; until?: number | undefined };

/** Lists every use of a team's connections, newest first. */
export const listRequests = async (
  context: RequestLogContext,
  teamId: string,
  { limit, cursor, since = 0, until, ...filter }: RequestQuery,
): Promise<ListPage<ListedRequest>> => {
  const from = firstIdAt(Math.max(since, context.clock.now() - REQUESTS_KEPT_MS));
  let interruptedAt: string | null = null;
  const read = async (after: string | null, most: number): Promise<ListedRequest[]> => {
    const end = until === undefined ? AFTER_IDS : firstIdAt(until);
    const range = { from, before: after !== null && after < end ? after : end };
    const rows: ListedRequest[] = [];
    const merged = mergeNewest<ListedRequest | Interruption>(
      readRequests(context, teamId, filter, range),
      readHandOuts(context, teamId, filter, range),
    );
    for await (const row of merged) {
      if ('isInterrupted' in row) {
        interruptedAt = row.id;
        break;
      }
      rows.push(row);
      if (rows.length === most) break;
    }
    return rows;
  };
  const page = await readPage({ limit, cursor }, { read, keyOf: ({ id }) => id, refuseCursor: requestCursorInvalid });
  if (interruptedAt === null) return page;
  return { ...page, nextCursor: page.nextCursor ?? toCursor(interruptedAt) };
};
