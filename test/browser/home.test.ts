import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { homePage } from '../../src/dashboard/home/home-page.ts';
import type { Overview } from '../../src/dashboard/home/load-overview.ts';
import type { Person } from '../../src/dashboard/person.ts';
import { FIRST_SETTINGS } from '../../src/teams/records/team.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

const NOW = Date.parse('2026-11-13T15:42:00Z');
const HOUR_MS = 3_600_000;
/** The longest that each field takes, without a place to break. */
const LONGEST = { name: 'W'.repeat(200), label: 'M'.repeat(100), connection: 'w'.repeat(40), error: 'E'.repeat(300) };

const personOf = (name: string): Person => ({
  ...{ userId: 'u', who: `${'m'.repeat(64)}@example.com`, role: 'admin', csrfToken: 'token', otherTeams: [] },
  team: { ...FIRST_SETTINGS, id: 't', key: null, name, createdAt: 0 },
  region: { timeZone: 'UTC', hourCycle: 'h12', callingCode: '1', now: NOW },
});

const weekOf = (calls: number) => ({
  ...{ inbound: calls, answered: Math.ceil(calls * 0.7), unanswered: Math.floor(calls * 0.3), answeredPercent: 70 },
  ...{ waiting: Math.floor(calls / 9), waitingSince: NOW - 50 * HOUR_MS, talkSeconds: calls * 190 },
});

const weeksOf = (calls: readonly (number | null)[], last: number | null, isCounting = false): Overview['weeks'] => ({
  finished: calls.map((count, index) => ({
    week: `2026-W${39 + index}`,
    glance: count === null ? null : weekOf(count),
  })),
  current: {
    ...{ week: '2026-W46', startsAt: Date.parse('2026-11-09'), endsAt: Date.parse('2026-11-16'), isCounting },
    isBehind: false,
    counted: last === null ? null : { asOf: NOW, glance: weekOf(last), isDemo: false, seen: '' },
  },
});

const connectionOf = (provider: string, status: 'connected' | 'degraded' | 'needs_reconnect', connection = 'default') =>
  ({
    ...{ provider, connection, name: provider, status, lastError: LONGEST.error, reconnectBefore: null },
  }) as Overview['connections'][number];

const callOf = (id: string, from: string | null, outcome: 'answered' | 'missed' | 'voicemail') => ({
  ...{
    id,
    from,
    fromName: null,
    person: null,
    outcome,
    to: '+15555550100',
    provider: 'twilio',
    externalId: id,
    direction: 'inbound' as const,
  },
  ...{ status: 'ended' as const, numberLabel: LONGEST.label, startedAt: NOW - HOUR_MS, answeredAt: null },
  ...{
    endedAt: NOW,
    talkSeconds: 86_399,
    isUntaken: outcome !== 'answered',
    returnedAt: null,
    markedReturnedAt: null,
    isSimulated: false,
    isCounted: true,
    hasRecording: true,
  },
  ...{
    isWaiting: outcome !== 'answered',
    attempts: 99,
    isFirst: true,
    recording: { id, durationMs: 86_399_000 },
    heard: null,
  },
});

const storageOf = (isFull: boolean) => ({
  payloads: { bytes: 0, mostBytes: 1, todayBytes: 0, mostTodayBytes: 1, isFull },
  recordings: { bytes: 0, mostBytes: 1, isFull },
});

const quiet: Overview = {
  ...{ now: NOW, connections: [], latest: [], hasAccounts: false, refused: [], hasDemo: true, hidesDemo: false },
  waiting: { callers: 0, messages: 0 },
  weeks: weeksOf([null, null, null, null, null, null, null], 0),
  storage: storageOf(false),
  setUp: { isWelcomed: true, hasNumber: false, hasColleague: false, hasRecipients: false },
};

const usual: Overview = {
  ...quiet,
  connections: [connectionOf('google', 'connected'), connectionOf('slack', 'connected')],
  latest: [callOf('1', '+15555550197', 'missed'), callOf('2', '+15555550127', 'answered')],
  hasAccounts: true,
  waiting: { callers: 9, messages: 4 },
  weeks: weeksOf([220, 251, 233, 262, 255, 270, 256], 266),
  setUp: { isWelcomed: true, hasNumber: true, hasColleague: true, hasRecipients: false },
};

const longest: Overview = {
  ...usual,
  connections: [
    ...Array.from({ length: 30 }, (_, index) => connectionOf(`${'provider'.repeat(6)}${index}`, 'degraded')),
    connectionOf('hubspot'.repeat(9), 'needs_reconnect', LONGEST.connection),
    connectionOf('google', 'connected', LONGEST.connection),
  ],
  latest: Array.from({ length: 6 }, (_, index) => callOf(String(index), `sip:${'x'.repeat(200)}@host`, 'voicemail')),
  refused: [{ id: 'a', provider: 'twilio', accountId: 'A'.repeat(100) }],
  storage: storageOf(true),
  waiting: { callers: 100, messages: 100 },
  weeks: weeksOf([9_999_999, 9_999_998, null, 9_999_999, 1, 0, 9_999_999], 99_999_999),
};

describe('the home page', () => {
  let stills: StillPages;
  before(async () => {
    stills = await openStillPages();
  });
  after(() => stills.close());

  const stillOf = (overview: Overview, person = personOf('Acme Dental')) => ({
    ...{ person, path: '/' },
    page: homePage(person, overview),
  });

  for (const [state, overview, person] of [
    ['on the first day', quiet, personOf('Acme Dental')],
    ['in a usual week', usual, personOf('Acme Dental')],
    ['with the longest values', longest, personOf(LONGEST.name)],
  ] as const)
    test(`passes axe and never scrolls sideways ${state}`, async () => {
      assert.deepEqual(await stills.findFlaws(stillOf(overview, person)), []);
    });

  test('says how the week goes, and compares it with the last one', async () => {
    const text = await stills.read(stillOf(usual));
    assert.match(text, /This week at Acme Dental/);
    assert.match(text, /November 9–15, 2026 so far, as of 3:42 PM/);
    assert.match(text, /Calls\s+266\s+256 last week/);
    assert.match(text, /Answered\s+70%\s+70% last week/);
    assert.match(text, /Calls to return\s+29\s+28 last week/);
    assert.match(text, /Talk time\s+14 h 2 min\s+13 h 30 min last week/);
    assert.match(text, /9 callers need a call back\s+4 left a message\.\s+See who/);
    assert.match(text, /Get started\s+3 of 4/);
  });

  test('lists what is most urgent first', async () => {
    const text = await stills.read(stillOf(longest));
    const order = [
      'needs to be reconnected',
      'were refused',
      'limit for original requests',
      '99+ callers need a call back',
    ];
    const places = order.map((words) => text.indexOf(words));
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    );
    assert.ok(places.every((place) => place > 0));
    assert.match(text, /and 20 more/);
  });

  test('teaches on the first day, and has no empty figures', async () => {
    const text = await stills.read(stillOf(quiet));
    assert.match(text, /Get started\s+0 of 4/);
    for (const name of ['Connect an account', 'Add a phone number', 'Invite a teammate', 'Choose who gets'])
      assert.ok(text.includes(name), name);
    assert.match(text, /See it work, in one minute[\s\S]*Play a demo voicemail/);
    assert.doesNotMatch(text, /last week|Calls per week|–|caught up/);
  });

  test('suggests the next step of the list where there is no demo, until there are calls', async () => {
    const withoutDemo = { ...quiet, hasDemo: false };
    assert.match(await stills.read(stillOf(withoutDemo)), /Connect an account\s+Patchbay keeps its access fresh/);
    const connected = { ...withoutDemo, connections: usual.connections };
    assert.match(await stills.read(stillOf(connected)), /Add a phone number\s+Calls to it show up here/);
    const busy = { ...usual, waiting: quiet.waiting };
    assert.match(await stills.read(stillOf(busy)), /You're all caught up\./);
    const dismissed = { ...quiet, setUp: null };
    assert.match(await stills.read(stillOf(dismissed)), /You're all caught up\./);
  });

  test('has no checklist once everything is done', async () => {
    const setUp = { isWelcomed: true, hasNumber: true, hasColleague: true, hasRecipients: true };
    assert.doesNotMatch(await stills.read(stillOf({ ...usual, setUp })), /Get started/);
  });

  test('says so while nothing is counted yet, and when it cannot be', async () => {
    const finished = [1, 2, 3, 4, 5, 6, 7];
    const counting = await stills.read(stillOf({ ...usual, weeks: weeksOf(finished, null, true) }));
    assert.match(counting, /is being counted\. Reload in a moment/);
    const failed = await stills.read(stillOf({ ...usual, weeks: weeksOf(finished, null) }));
    assert.match(failed, /can't be counted right now\./);
    for (const text of [counting, failed]) assert.match(text, /Calls\s+–\s+7 last week/);
  });
});
