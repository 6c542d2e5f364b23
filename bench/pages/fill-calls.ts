import { readFileSync } from 'node:fs';
import type { App } from '../../src/app.ts';
import { defineRow } from '../../src/platform/index.ts';
import { sealEnds } from '../../src/telephony/calls/call-parties.ts';
import { type Party, toParty } from '../../src/telephony/contract/party.ts';
import type { Owner } from '../reports/add-owner.ts';

const HOUR_MS = 3_600_000;
const AT_ONCE = 1_000;
export const PEOPLE = 2_000;
/** In every store, each of the two people in `RARE` has three calls. */
export const RARE_CALLS = 6;

export const LINE = '+15551239999';
/** The numbers of two people who only have a few calls, the oldest ones. */
export const RARE = { caller: '+15557654321', called: '+15557654322' };

const CALL = defineRow({
  ...{ id: 'text', teamId: 'text', accountId: 'text', provider: 'text', externalId: 'text', direction: 'text' },
  ...{ fromHash: 'text', fromParty: 'text', toHash: 'text', toParty: 'text', status: 'text', outcome: 'text' },
  ...{ evidence: 'text', startedAt: 'bigint', answeredAt: 'bigint', endedAt: 'bigint', talkSeconds: 'bigint' },
  updatedAt: 'bigint',
});

type Kind = { direction: 'inbound' | 'outbound'; outcome: string; other: string };

export const numberOf = (person: number): string => `+1555${2_000_000 + person}`;

/**
 * A third of the calls are voicemail, a third other inbound calls, and a third outbound, so that a hundred calls fill a
 * page of each. Few inbound calls are answered, so that enough callers wait in each week of a report.
 */
const commonKind = (number: number): Kind => {
  const other = numberOf((number * 7_919) % PEOPLE);
  if (number % 3 === 0) return { direction: 'inbound', outcome: 'voicemail', other };
  if (number % 3 === 2) return { direction: 'outbound', outcome: 'answered', other };
  return { direction: 'inbound', outcome: number % 12 === 1 ? 'answered' : 'missed', other };
};

const rareKind = (number: number): Kind =>
  number % 2 === 0
    ? { direction: 'outbound', outcome: 'failed', other: RARE.called }
    : { direction: 'inbound', outcome: 'missed', other: RARE.caller };

/** A series of calls at equal intervals, newest first. Their phone numbers can be decrypted. */
export type Stretch = { first: number; count: number; since: number; until: number; isRare?: boolean };

const startOf = ({ first, count, since, until }: Stretch, number: number): number =>
  Math.floor(until - ((number - first) * (until - since)) / count);

/** The position of a call in the list of calls. */
export const placeOf = (stretch: Stretch, number: number) => ({
  startedAt: startOf(stretch, number),
  id: `call-${number}`,
});

const makeCall = async ({ vault }: App, { teamId, accountId }: Owner, stretch: Stretch, number: number) => {
  const { direction, outcome, other } = stretch.isRare ? rareKind(number) : commonKind(number);
  const { startedAt, id } = placeOf(stretch, number);
  const [line, party]: [Party, Party] = [toParty(LINE), toParty(other)];
  const isInbound = direction === 'inbound';
  const externalId = `external-${number}`;
  const ends = { direction, from: isInbound ? party : line, to: isInbound ? line : party };
  const isAnswered = outcome === 'answered';
  return {
    ...{ id, teamId, accountId, provider: 'twilio', externalId, status: 'ended', outcome },
    ...(await sealEnds(vault, { teamId, accountId, externalId }, ends)),
    ...{ evidence: '[]', startedAt, endedAt: startedAt + HOUR_MS / 60, updatedAt: startedAt + HOUR_MS / 60 },
    ...{ answeredAt: isAnswered ? startedAt + 9_000 : null, talkSeconds: isAnswered ? 51 : null },
  };
};

/** Adds a recording for each voicemail. */
const INSERT_RECORDINGS = `insert into recordings (id, team_id, account_id, provider, external_id, call_key,
    told_status, state, duration_ms, archived_at, created_at)
  select 'recording-' || id, team_id, account_id, provider, 'recording-' || external_id, external_id, 'available',
    'archived', 9000, ended_at, ended_at from calls where outcome = 'voicemail'`;

const fillStretch = async (app: App, owner: Owner, stretch: Stretch): Promise<void> => {
  const columns = Object.keys(CALL.columns).join(', ');
  for (let done = 0; done < stretch.count; done += AT_ONCE) {
    const length = Math.min(AT_ONCE, stretch.count - done);
    const numbers = Array.from({ length }, (_, index) => stretch.first + done + index);
    const rows = await Promise.all(numbers.map((number) => makeCall(app, owner, stretch, number)));
    await app.database.runFrom(
      CALL.toTable(rows),
      `insert into calls (${columns}) select ${columns} from rows where true`,
    );
  }
};

const WAITING = new URL('../../migrations/0034-telephony-waiting-callers.sql', import.meta.url);

/** Lists the waiting callers with the migration's own SQL, because the calls were stored without being processed. */
const listWaiting = (app: App): Promise<number> => {
  const migration = readFileSync(WAITING, 'utf8');
  return app.database.run(migration.slice(migration.indexOf('insert into')));
};

export const fillCalls = async (app: App, owner: Owner, stretches: readonly Stretch[]): Promise<void> => {
  for (const stretch of stretches) await fillStretch(app, owner, stretch);
  await app.database.run(INSERT_RECORDINGS);
  await listWaiting(app);
};
