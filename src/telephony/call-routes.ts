import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { callerOf, type Routes } from '../http/index.ts';
import { type Clock, type Database, type NewId, toIsoOrNull } from '../platform/index.ts';
import { actorOf, recordAudit } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { isUntaken } from './call.ts';
import { Call, CallWithStory, OUTCOMES, toCallAnswer, toEventAnswer } from './call-answer.ts';
import { CSV_TYPE, csvHead, toCsv } from './call-csv.ts';
import {
  type CallFilter,
  getCall,
  type ListedCall,
  listCallEvents,
  listCalls,
  markCallReturned,
} from './call-store.ts';
import { callNotMissed, callUnknown, cursorInvalid } from './errors.ts';
import { toParty } from './party.ts';
import { hashParty } from './put-call.ts';
import { listRecordingsOfCall } from './recording-store.ts';

export type CallRouteDependencies = { database: Database; vault: Vault; clock: Clock; newId: NewId };

const MOST = 100;
const STANDARD = 50;
/** A file is made page by page, so that it costs no memory. */
const CSV_PAGE = 500;
const CSV_MOST = 100_000;

const Instant = Type.String({ format: 'date-time' });
const Query = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    from: Type.Optional(Type.String({ maxLength: 256, description: 'Calls from this number' })),
    to: Type.Optional(Type.String({ maxLength: 256, description: 'Calls to this number' })),
    outcome: Type.Optional(Type.Enum([...OUTCOMES])),
    since: Type.Optional(Instant),
    until: Type.Optional(Instant),
  },
  { additionalProperties: false },
);
type Query = Static<typeof Query>;

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

const printCursor = ({ startedAt, id }: Pick<ListedCall, 'startedAt' | 'id'>): string =>
  Buffer.from(`${startedAt} ${id}`).toString('base64url');

const readCursor = (cursor: string): { startedAt: number; id: string } => {
  const match = /^(\d{1,15}) ([\w-]{1,60})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match?.[1] || !match[2]) throw cursorInvalid();
  return { startedAt: Number(match[1]), id: match[2] };
};

/** Nobody's number has this hash: what cannot be a number is found nowhere. */
const NOBODY = '-';

const readFilter = async (vault: Vault, teamId: string, query: Query): Promise<CallFilter> => {
  const hashOf = async (text: string): Promise<string> => (await hashParty(vault, teamId, toParty(text))) ?? NOBODY;
  return {
    ...(query.from === undefined ? {} : { fromHash: await hashOf(query.from) }),
    ...(query.to === undefined ? {} : { toHash: await hashOf(query.to) }),
    ...(query.outcome === undefined ? {} : { outcome: query.outcome }),
    ...(query.since === undefined ? {} : { since: Date.parse(query.since) }),
    ...(query.until === undefined ? {} : { until: Date.parse(query.until) }),
    ...(query.cursor === undefined ? {} : { after: readCursor(query.cursor) }),
  };
};

export const callRoutes =
  (dependencies: CallRouteDependencies): Routes =>
  (server) => {
    const { database, vault, clock } = dependencies;
    const tags = ['calls'];

    const writeCsv = async function* (teamId: string, filter: CallFilter, most: number): AsyncGenerator<string> {
      yield csvHead();
      let left = most;
      for (let page = filter; left > 0; ) {
        const rows = await listCalls(database, teamId, page, Math.min(CSV_PAGE, left));
        yield toCsv(await Promise.all(rows.map((row) => toCallAnswer(vault, row))));
        left -= rows.length;
        const last = rows.at(-1);
        if (!last || rows.length < CSV_PAGE) return;
        page = { ...page, after: last };
      }
    };

    server.get(
      '/api/calls',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Calls of the team, newest first',
          description: `At most ${MOST} at once; \`nextCursor\` leads on. \`Accept: text/csv\` gives a file with all of them (at most ${CSV_MOST.toLocaleString('en')}), or with \`limit\` of them.`,
          querystring: Query,
          response: {
            200: Type.Object({
              calls: Type.Array(Call),
              nextCursor: Type.Union([Type.String(), Type.Null()]),
            }),
          },
        },
      },
      async (request, reply) => {
        const { teamId } = callerOf(request);
        const filter = await readFilter(vault, teamId, request.query);
        if (/text\/csv/i.test(request.headers.accept ?? '')) {
          const lines = Readable.from(writeCsv(teamId, filter, request.query.limit ?? CSV_MOST));
          reply.header('content-type', CSV_TYPE).header('content-disposition', 'attachment; filename="calls.csv"');
          return reply.send(lines as never);
        }
        const limit = request.query.limit ?? STANDARD;
        const rows = await listCalls(database, teamId, filter, limit + 1);
        const shown = rows.slice(0, limit);
        const last = shown.at(-1);
        return {
          calls: await Promise.all(shown.map((row) => toCallAnswer(vault, row))),
          nextCursor: rows.length > limit && last ? printCursor(last) : null,
        };
      },
    );

    server.get(
      '/api/calls/:id',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'One call, with its story',
          params: ById,
          response: { 200: CallWithStory },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        const row = await getCall(database, teamId, request.params.id);
        if (!row) throw callUnknown();
        const events = await listCallEvents(database, teamId, row.id);
        const recordings = await listRecordingsOfCall(database, teamId, row);
        return {
          ...(await toCallAnswer(vault, row)),
          evidence: JSON.parse(row.evidence),
          events: events.map(toEventAnswer),
          recordings: recordings.map(({ id, state, startedAt, durationMs }) => ({
            id,
            state,
            startedAt: toIsoOrNull(startedAt),
            durationSeconds: durationMs === null ? null : durationMs / 1_000,
          })),
        };
      },
    );

    server.post(
      '/api/calls/:id/returned',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Mark a call that nobody took as returned by other means',
          params: ById,
          response: { 200: Call },
        },
      },
      async (request) => {
        const { teamId, userId } = callerOf(request);
        const { id } = request.params;
        const row = await getCall(database, teamId, id);
        if (!row) throw callUnknown();
        if (!isUntaken(row)) throw callNotMissed();
        await database.transaction(async (tx) => {
          if ((await markCallReturned(tx, teamId, id, { by: userId, now: clock.now() })) === 0) return;
          await recordAudit(dependencies, tx, teamId, actorOf(request), { action: 'call.returned', target: id });
        });
        const marked = await getCall(database, teamId, id);
        if (!marked) throw callUnknown();
        return toCallAnswer(vault, marked);
      },
    );
  };
