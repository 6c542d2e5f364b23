import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { CallFilter } from '../calls/call-filter.ts';
import { hashParty } from '../calls/call-parties.ts';
import type { ListedCall } from '../calls/call-store.ts';
import { OUTCOMES } from '../calls/outcome-names.ts';
import { toParty } from '../contract/party.ts';
import { InstantText } from '../contract/schemas.ts';
import { callCursorInvalid } from '../errors.ts';
import { MOST_SEARCHED } from './search-calls.ts';

/** Query for a list of calls. */
export const CallQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '\\S',
        description: `Part of the other party's number or name, of the label of your number, or of what was said in a recording with a transcript. Looks through at most ${MOST_SEARCHED.toLocaleString('en')} calls at a time, so a page can be empty even if \`nextCursor\` leads to more`,
      }),
    ),
    from: Type.Optional(Type.String({ maxLength: 256, description: 'Calls from this number' })),
    to: Type.Optional(Type.String({ maxLength: 256, description: 'Calls to this number' })),
    direction: Type.Optional(Type.Enum(['inbound', 'outbound'])),
    outcome: Type.Optional(Type.Enum(OUTCOMES)),
    waiting: Type.Optional(Type.Boolean({ description: 'true for unanswered calls that nobody has returned yet' })),
    since: Type.Optional(InstantText),
    until: Type.Optional(InstantText),
  },
  { additionalProperties: false },
);
export type CallQuery = Static<typeof CallQuery>;

export const printCallCursor = ({ startedAt, id }: Pick<ListedCall, 'startedAt' | 'id'>): string =>
  Buffer.from(`${startedAt} ${id}`).toString('base64url');

export const readCallCursor = (cursor: string): { startedAt: number; id: string } => {
  const match = /^(\d{1,15}) ([\w-]{1,60})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match?.[1] || !match[2]) throw callCursorInvalid();
  return { startedAt: Number(match[1]), id: match[2] };
};

/** No number has this hash, so text that can't be a number finds nothing. */
const NOBODY = '-';

/** Makes a filter from a query. Numbers are found by their hash. */
export const toCallFilter = async (vault: Vault, teamId: string, query: CallQuery): Promise<CallFilter> => {
  const hashOf = async (text: string): Promise<string> => (await hashParty(vault, teamId, toParty(text))) ?? NOBODY;
  return {
    ...(query.from === undefined ? {} : { fromHash: await hashOf(query.from) }),
    ...(query.to === undefined ? {} : { toHash: await hashOf(query.to) }),
    ...(query.direction === undefined ? {} : { direction: query.direction }),
    ...(query.outcome === undefined ? {} : { outcome: query.outcome }),
    ...(query.waiting ? { waiting: true } : {}),
    ...(query.since === undefined ? {} : { since: Date.parse(query.since) }),
    ...(query.until === undefined ? {} : { until: Date.parse(query.until) }),
    ...(query.cursor === undefined ? {} : { after: readCallCursor(query.cursor) }),
  };
};
