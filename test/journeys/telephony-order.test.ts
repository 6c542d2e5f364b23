import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Server } from '../../src/http/index.ts';
import { type Database, openDatabase, Secret } from '../../src/platform/index.ts';
import { openParties } from '../../src/telephony/calls/call-parties.ts';
import type { CallRow } from '../../src/telephony/calls/call-store.ts';
import type { CallFact } from '../../src/telephony/contract/call-fact.ts';
import { openMediaUrl } from '../../src/telephony/recordings/media-url.ts';
import type { RecordingRow } from '../../src/telephony/recordings/recording-store.ts';
import { SECRETS } from '../harness/app.ts';
import { createDatabaseAt, databaseUrl, onEachEngine, TEMPLATE } from '../harness/databases.ts';
import { createRandom } from '../harness/random.ts';
import { makeDataDirectory, type Serving, startServe } from '../harness/serve-process.ts';
import { addPhoneAccount, deliver, isKept } from '../harness/telephony-serve.ts';
import { openTelephonyStage, RECORDING, SERVICE_URL, VOICE } from '../harness/telephony-stage.ts';
import {
  type Chapter,
  SHAPE_NAMES,
  type Story,
  type StoryAccount,
  signChapter,
  tellStory,
} from '../harness/telephony-stories.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const RUNS = 4;

/** Times without a provider's own are times of receipt: those differ, and nothing else may. */
const eventOf = (text: string, keepTimes: boolean) => {
  const event: CallFact = JSON.parse(text);
  return keepTimes || event.timeFrom === 'provider' ? event : { ...event, occurredAt: 'when we heard of it' };
};

type Vault = Parameters<typeof openParties>[0];

/** Everything stored about a call, except our own ids and when we stored it. */
const snapshot = async (database: Database, vault: Vault, sid: string, { keepTimes }: { keepTimes: boolean }) => {
  const calls = await database.all<CallRow>(
    `select id, team_id as "teamId", account_id as "accountId", provider, external_id as "externalId", direction,
      told_by as "toldBy", from_hash as "fromHash", from_party as "fromParty", to_hash as "toHash",
      to_party as "toParty", status, outcome, evidence, started_at as "startedAt", answered_at as "answeredAt",
      ended_at as "endedAt", talk_seconds as "talkSeconds", marked_returned_at as "markedReturnedAt"
      from calls where external_id = $1`,
    [sid],
  );
  const events = await database.all<{ key: string; event: string }>(
    `select event_key as key, event from call_events where call_id in (select id from calls where external_id = $1)
      order by event_key`,
    [sid],
  );
  const recordings = await database.all<RecordingRow>(
    `select id, team_id as "teamId", account_id as "accountId", provider, external_id as "externalId",
      call_key as "callKey", told_status as "toldStatus", state, media_url as "mediaUrl",
      media_expires_at as "mediaExpiresAt", started_at as "startedAt", duration_ms as "durationMs", channels, source,
      error_code as "errorCode", problem from recordings where call_key = $1 order by external_id`,
    [sid],
  );
  const told = events.map(({ key, event }) => ({ key, event: eventOf(event, keepTimes) }));
  const isTold = told.every(({ event }) => event.timeFrom === 'provider');
  return {
    calls: await Promise.all(
      calls.map(async ({ id: _, toldBy, fromParty, toParty, startedAt, answeredAt, endedAt, evidence, ...call }) => ({
        ...call,
        rank: toldBy?.slice(0, 1),
        ...(await openParties(vault, { ...call, fromParty, toParty })),
        evidence: [...JSON.parse(evidence)].sort(),
        times: keepTimes || isTold ? { startedAt, answeredAt, endedAt } : 'when we heard of it',
      })),
    ),
    events: told,
    recordings: await Promise.all(
      recordings.map(async ({ id: _, ...recording }) => ({
        ...recording,
        mediaUrl: await openMediaUrl(vault, { ...recording, id: '' } as RecordingRow),
      })),
    ),
  };
};

/** Forgets everything that was reported. */
const forget = async (database: Database): Promise<void> => {
  for (const table of ['call_events', 'calls', 'recordings', 'deliveries']) await database.run(`delete from ${table}`);
};

/** An order with every chapter at least once and some repeated, and which process gets each. */
const tellings = (length: number) =>
  fc
    .array(fc.nat({ max: length - 1 }), { maxLength: length })
    .chain((repeated) => {
      const indexes = [...Array.from({ length }, (_, index) => index), ...repeated];
      return fc.shuffledSubarray(
        indexes.map((index, place) => ({ index, place })),
        { minLength: indexes.length, maxLength: indexes.length },
      );
    })
    .chain((order) =>
      fc.record({
        order: fc.constant(order.map(({ index }) => index)),
        /** Which process gets it, how many arrive at once, and how long we wait before the next. */
        hears: fc.array(fc.nat({ max: 1 }), { minLength: order.length, maxLength: order.length }),
        atOnce: fc.integer({ min: 1, max: 6 }),
        pauses: fc.array(fc.nat({ max: 40_000 }), { minLength: order.length, maxLength: order.length }),
      }),
    );

onEachEngine('a call', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { answer: { voicemail: true } }));
  const other = useStage(() => stage.openOther());
  let account: StoryAccount;
  before(async () => {
    const team = await stage.newTeam();
    account = { id: team.account.id, accountId: team.account.accountId };
  });

  const send = async (server: Server, chapter: Chapter): Promise<void> => {
    const { digest: _, ...request } = signChapter(account, chapter);
    const answered = await server.inject(request);
    assert.ok(answered.statusCode < 300, answered.body);
  };
  const settle = async (): Promise<void> => {
    await stage.app.telephony.settle();
    await other.app.telephony.settle();
    const left = await stage.app.database.all(`select id, state, problem from deliveries where state <> 'processed'`);
    assert.deepEqual(left, []);
  };
  const see = (sid: string, options: { keepTimes: boolean }) =>
    snapshot(stage.app.database, stage.app.vault, sid, options);

  /** In the order it happened, each chapter once. */
  const tellPlainly = async ({ sid, chapters }: Story, options: { keepTimes: boolean }) => {
    await forget(stage.app.database);
    for (const chapter of chapters) {
      await send(stage.server, chapter);
      if (!options.keepTimes) stage.clock.advance(1_000);
    }
    await settle();
    return see(sid, options);
  };

  type Plain = Awaited<ReturnType<typeof tellPlainly>>;
  const tryTellings = async (
    story: Story,
    options: { keepTimes: boolean; processes: 1 | 2 },
    told?: Plain,
  ): Promise<void> => {
    const plain = told ?? (await tellPlainly(story, options));
    assert.equal(plain.calls.length, 1);
    await fc.assert(
      fc.asyncProperty(tellings(story.chapters.length), async ({ order, hears, atOnce, pauses }) => {
        await forget(stage.app.database);
        for (let begin = 0; begin < order.length; begin += atOnce) {
          await Promise.all(
            order.slice(begin, begin + atOnce).map((index, at) => {
              const server = options.processes === 2 && hears[begin + at] === 1 ? other.server : stage.server;
              return send(server, story.chapters[index] as Chapter);
            }),
          );
          if (!options.keepTimes) stage.clock.advance(pauses[begin] ?? 0);
        }
        await settle();
        assert.deepEqual(await see(story.sid, options), plain);
      }),
      { numRuns: RUNS },
    );
  };

  for (const name of SHAPE_NAMES) {
    test(`that was ${name} is the same in whatever order and however often it is reported`, async () => {
      const story = tellStory(name);
      const plain = await tellPlainly(story, { keepTimes: true });
      const { outcome, talkSeconds } = plain.calls[0] ?? {};
      assert.deepEqual(
        { outcome, talkSeconds, recordings: plain.recordings.length },
        story.ending,
        'It is what the story says.',
      );
      await tryTellings(story, { keepTimes: true, processes: 1 }, plain);
    });

    test(`that was ${name} is the same when two processes receive it, at whatever times`, async () => {
      await tryTellings(tellStory(name), { keepTimes: false, processes: 2 });
    });
  }

  test('whose end is reported twice, once with its length and once without, is the same in either order', async () => {
    const story = tellStory('made by us and answered');
    const call = { CallSid: story.sid, From: '+15551239999', To: '+15551230001', Direction: 'outbound-api' };
    const chapters = [
      { path: VOICE, query: '&step=status', params: { ...call, CallStatus: 'completed', CallDuration: '30' } },
      { path: VOICE, query: '&step=dialed', params: { ...call, CallStatus: 'completed', DialCallStatus: 'canceled' } },
    ];
    await tryTellings({ ...story, chapters }, { keepTimes: true, processes: 1 });
  });

  test('with one known provider time keeps it, even if the same moment is reported without one', async () => {
    const story = tellStory('made by us and answered');
    const call = { CallSid: story.sid, From: '+15551239999', To: '+15551230001', Direction: 'outbound-api' };
    const Timestamp = 'Sun, 15 Nov 2026 11:00:05 GMT';
    const chapters = [
      { path: VOICE, query: '', params: { ...call, CallStatus: 'in-progress' } },
      { path: VOICE, query: '&step=status', params: { ...call, CallStatus: 'in-progress', Timestamp } },
      {
        path: VOICE,
        query: '&step=status',
        params: { ...call, CallStatus: 'completed', CallDuration: '30', Timestamp },
      },
    ];
    await tryTellings({ ...story, chapters }, { keepTimes: true, processes: 1 });
  });

  test('whose recording failed first for one reason and then another is the same in either order', async () => {
    const story = tellStory('failed before it was answered');
    const recording = { CallSid: story.sid, RecordingSid: `RE${randomBytes(16).toString('hex')}` };
    const told = (RecordingStatus: string, more: Record<string, string> = {}) => ({
      path: RECORDING,
      query: '',
      params: { ...recording, RecordingStatus, ...more },
    });
    const chapters = [
      ...story.chapters,
      told('in-progress', { RecordingSource: 'DialVerb' }),
      told('absent', { RecordingSource: 'RecordVerb', ErrorCode: '1' }),
      told('failed', { ErrorCode: '2' }),
      told('completed', { RecordingDuration: '9' }),
    ];
    await tryTellings({ ...story, chapters }, { keepTimes: true, processes: 1 });
  });
});

describe('calls that two real processes receive at the same time', () => {
  const undo: (() => unknown)[] = [];
  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  test('are the same as if one had received them in order', async () => {
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `telephony_order_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name, TEMPLATE);
    const url = databaseUrl(server, name);
    const servings = await Promise.all(
      [1, 2].map(async (): Promise<Serving> => {
        const data = makeDataDirectory();
        undo.push(data.remove);
        const environment = { ...SECRETS, PATCHBAY_URL: SERVICE_URL, PATCHBAY_DATA: data.path, DATABASE_URL: url };
        const serving = await startServe(environment);
        undo.push(() => serving.end());
        return serving;
      }),
    );
    await Promise.all(servings.map((serving) => serving.ready()));
    const [one, two] = servings;
    assert.ok(one && two);
    const account = await addPhoneAccount(one, { answer: { voicemail: true } });
    const database = openDatabase(
      { url: new Secret(url), dataDirectory: '', poolSize: 2, statementTimeoutMs: 10_000 },
      () => undefined,
    );
    undo.push(() => database.close());

    const stories = SHAPE_NAMES.flatMap((shape) => Array.from({ length: 6 }, () => tellStory(shape)));
    const letters = stories.flatMap(({ chapters }) => chapters.flatMap((chapter) => [chapter, chapter]));
    const shuffled = createRandom('chapters').shuffle(letters);
    const [first] = shuffled;
    assert.ok(first);
    // It's told nothing that it could mistake for a stranger's while its database is slow.
    await waitUntil('the other process knows the account', async () =>
      isKept(await deliver(two, signChapter(account, first))),
    );
    const sender = async (serving: Serving): Promise<void> => {
      for (let next = shuffled.pop(); next; next = shuffled.pop())
        assert.ok(isKept(await deliver(serving, signChapter(account, next))));
    };
    await Promise.all([one, two, one, two, one, two, one, two].map(sender));
    await waitUntil('all is processed', async () => {
      const left = await database.get<{ n: number }>(`select count(*) as n from deliveries where state = 'received'`);
      return Number(left?.n) === 0;
    });
    const calls = await database.all<{
      sid: string;
      outcome: string;
      talkSeconds: number | null;
      recordings: number;
      events: number;
    }>(
      `select c.external_id as sid, outcome, talk_seconds as "talkSeconds",
        (select count(*) from recordings r where r.call_key = c.external_id) as recordings,
        (select count(*) from call_events e where e.call_id = c.id) as events from calls c order by c.external_id`,
    );
    assert.deepEqual(
      calls.map(({ sid, outcome, talkSeconds, recordings }) => ({ sid, outcome, talkSeconds, recordings })),
      stories.map(({ sid, ending }) => ({ sid, ...ending })).sort((left, right) => (left.sid < right.sid ? -1 : 1)),
    );
    const eventsOf = new Map(calls.map(({ sid, events }) => [sid, events]));
    for (const shape of [0, 1, 2, 3])
      assert.equal(
        new Set(stories.slice(shape * 6, shape * 6 + 6).map(({ sid }) => eventsOf.get(sid))).size,
        1,
        'Calls that went the same way have as many events.',
      );
  });
});
