import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { type Database, DatabaseUnavailable, openDatabase, Secret } from '../../src/platform/index.ts';
import { createDeliveryJournal, createDeliveryKeeper } from '../../src/telephony/deliveries/delivery-keeper.ts';
import type { DeliveryRow } from '../../src/telephony/processing/delivery-store.ts';
import { createKeyRings, createVault } from '../../src/vault/index.ts';
import { createTestClock, createTestLog, SECRETS } from '../harness/app.ts';
import { createTestStore } from '../harness/databases.ts';
import { listDeliveryIds } from '../harness/list-delivery-ids.ts';
import { makeDataDirectory, type Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { type DatabaseLink, openDatabaseLink } from '../harness/telephony-database-link.ts';
import { addPhoneAccount, deliver, type Heard, isKept, logLines } from '../harness/telephony-serve.ts';
import { AUTH_TOKEN, CALLER, OUR_NUMBER, type Params, SERVICE_URL } from '../harness/telephony-stage.ts';
import { type Chapter, type Story, type StoryAccount, signChapter, tellStory } from '../harness/telephony-stories.ts';
import { waitUntil } from '../harness/wait-until.ts';

const GREETING = 'Welcome to the last known answer.';
/** A caller doesn't hear silence for longer than this. */
const LONGEST_MS = 3_000;
const BACK_MS = 30_000;
/** Many more than fit on a full disk. */
const MOST_STORIES = 300;
const NO_MOUNT = 'NOT TRIED: this machine lets nobody mount a small file system';

const environmentOf = (data: string, url = '') => ({
  ...SECRETS,
  PATCHBAY_URL: SERVICE_URL,
  PATCHBAY_DATA: data,
  DATABASE_URL: url,
});

type StageSettings = { given?: string; env?: Record<string, string> };

const openStage = async (context: TestContext, { given, env = {} }: StageSettings = {}) => {
  const stage = openServeStage(context);
  const link = await openDatabaseLink(context);
  const data = given ?? stage.newDirectory();
  const look = openDatabase(
    { url: new Secret(link.direct), dataDirectory: '', poolSize: 2, statementTimeoutMs: 10_000 },
    () => undefined,
  );
  context.after(() => look.close());
  const serve = async (): Promise<Serving> => {
    const serving = await stage.serve({ ...environmentOf(data, link.url), ...env });
    await serving.ready();
    return serving;
  };
  const serving = await serve();
  const account = await addPhoneAccount(serving, { answer: { greeting: GREETING, voicemail: true } });
  return { link, data, journal: join(data, 'journal'), look, serve, serving, account };
};

const withParams = (chapter: Chapter, more: Params): Chapter => ({
  ...chapter,
  params: { ...chapter.params, ...more },
});

/** Each chapter in turn, and the replies. */
const tell = async (serving: Serving, account: StoryAccount, { chapters }: Story): Promise<(Heard | null)[]> =>
  Promise.all(chapters.map((chapter) => deliver(serving, signChapter(account, chapter))));

const readJournal = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8')) : [];

const countLines = (directory: string): number =>
  readJournal(directory)
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '').length;

type CallRow = { externalId: string; outcome: string; talkSeconds: number | null };

const listCalls = async (database: Database): Promise<CallRow[]> => {
  const rows = await database.all<CallRow>(
    'select external_id as "externalId", outcome, talk_seconds as "talkSeconds" from calls order by external_id',
  );
  return rows.map((row) => ({ ...row }));
};

const expectCalls = async (database: Database, account: StoryAccount, stories: readonly Story[]): Promise<void> => {
  const digests = stories.flatMap(({ chapters }) => chapters.map((chapter) => signChapter(account, chapter).digest));
  const ids = await listDeliveryIds(database, account, digests);
  const states = async () =>
    database.all<{ id: string; state: string }>('select id, state from deliveries order by id');
  await waitUntil(
    'everything is in the database and processed',
    async () => {
      const rows = await states();
      return rows.length >= ids.length && rows.every(({ state }) => state === 'processed');
    },
    BACK_MS,
  );
  assert.deepEqual(
    (await states()).map(({ id }) => id),
    [...ids].sort(),
    'Each is there once, and nothing else is.',
  );
  const expected = stories.map(({ sid, ending: { outcome, talkSeconds } }) => ({
    externalId: sid,
    outcome,
    talkSeconds,
  }));
  assert.deepEqual(
    await listCalls(database),
    expected.sort((left, right) => (left.externalId < right.externalId ? -1 : 1)),
  );
};

const expectAnswered = (heard: readonly (Heard | null)[]): void => {
  for (const one of heard) assert.ok(one && isKept(one), `${one?.status} ${one?.body}`);
  assert.match(heard[0]?.body ?? '', new RegExp(GREETING), 'The caller hears the last known answer.');
};

const expectAnsweredAsKnown = (heard: readonly (Heard | null)[]): void => {
  expectAnswered(heard);
  const slowest = Math.max(...heard.map((one) => one?.tookMs ?? 0));
  assert.ok(slowest < LONGEST_MS, `${Math.round(slowest)} ms`);
};

const lostCount = async (serving: Serving): Promise<number> => {
  const metrics = await serving.fetch('/metrics', { headers: { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` } });
  const line = /^patchbay_deliveries_total\{[^}]*outcome="lost"[^}]*\} (\d+)$/m.exec(await metrics.text());
  return Number(line?.[1] ?? 0);
};

const takeAway: Record<string, (link: DatabaseLink) => unknown> = {
  cut: (link) => link.cut(),
  silent: (link) => link.hang(),
};

/** A separate file system that is soon full. False if the machine doesn't allow it. */
const mountSmall = (context: TestContext, directory: string, size: string): boolean => {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', directory]);
  if (mounted.status !== 0) return false;
  context.after(() => spawnSync('umount', ['-l', directory]));
  return true;
};

/** Fills up what is left. */
const writeBallast = (path: string, most: number): void => {
  for (let size = most; size >= 1; size = Math.floor(size / 2))
    for (;;) {
      try {
        appendFileSync(path, Buffer.alloc(size, 1));
      } catch {
        break;
      }
    }
};

/** Most of that time is spent waiting for processes. */
describe('telephony without its storage', { concurrency: 3 }, () => {
  describe('while the database is down', { concurrency: 7 }, () => {
    for (const [how, away] of Object.entries(takeAway))
      test(`(${how}) calls are answered with the last known settings, deliveries are kept sealed, and become calls afterward`, async (context) => {
        const { link, journal, look, serving, account } = await openStage(context);
        const stories = [tellStory('answered'), tellStory('voicemail'), tellStory('missed'), tellStory('abandoned')];
        const [before, ...during] = stories;
        assert.ok(before);
        expectAnswered(await tell(serving, account, before));

        await away(link);
        for (const story of during) {
          expectAnsweredAsKnown(await tell(serving, account, story));
          expectAnsweredAsKnown(await tell(serving, account, story));
        }
        const kept = readJournal(journal).join('');
        assert.ok(kept.length > 0, 'It is in the journal.');
        const readable = [
          CALLER,
          OUR_NUMBER,
          AUTH_TOKEN,
          'CallSid',
          account.id,
          account.accountId,
          'payload',
          'twilio',
        ];
        for (const story of stories) readable.push(story.sid);
        for (const word of readable) {
          assert.ok(!kept.includes(word), `${word} can be read in the journal`);
          // Whole groups of three bytes: fewer characters would be in any long text by chance.
          const encoded = Buffer.from(word.slice(0, word.length - (word.length % 3))).toString('base64');
          assert.ok(!kept.includes(encoded), `${word} can be decoded`);
        }

        await link.restore();
        await expectCalls(look, account, stories);
        await waitUntil('the journal is empty', () => readJournal(journal).length === 0);
        assert.ok(serving.isRunning());
        assert.equal(await lostCount(serving), 0);
      });

    test('one team cannot fill the disk with the journal, and all of its calls are there afterward', async (context) => {
      const env = { PATCHBAY_MAX_PAYLOAD_MIB_PER_DAY: '1' };
      const { link, journal, look, serving, account } = await openStage(context, { env });
      const stories = Array.from({ length: 20 }, () => tellStory('missed'));
      expectAnswered(await tell(serving, account, stories[0] as Story));
      await link.cut();
      const params = { Note: 'x'.repeat(200_000) };
      for (const { chapters } of stories)
        for (const chapter of chapters)
          assert.ok(isKept(await deliver(serving, signChapter(account, withParams(chapter, params)))));
      const bytes = readJournal(journal).join('').length;
      assert.ok(bytes > 0 && bytes < 2 * 1024 * 1024, `The journal has ${bytes} bytes.`);
      await link.restore();
      await waitUntil('all calls are there', async () => (await listCalls(look)).length === stories.length, BACK_MS);
    });

    test('and the process is killed: the next one has what was kept, and a truncated line does no harm', async (context) => {
      const { link, journal, look, serve, serving, account } = await openStage(context);
      const stories = [tellStory('answered'), tellStory('voicemail')];
      await tell(serving, account, stories[0] as Story);
      await link.cut();
      expectAnsweredAsKnown(await tell(serving, account, stories[1] as Story));
      assert.ok(countLines(journal) >= 5, 'It is in the journal.');
      serving.kill('SIGKILL');
      await serving.ended();
      const [name = ''] = readdirSync(journal);
      const path = join(journal, name);
      const [line = ''] = readFileSync(path, 'utf8').split('\n');
      appendFileSync(path, line.slice(0, line.length / 2));

      await link.restore();
      const next = await serve();
      await expectCalls(look, account, stories);
      await waitUntil('the journal is empty', () => readJournal(journal).length === 0);
      assert.ok(next.isRunning());
    });

    test('and the journal cannot be written: notices are refused for later, callers are still answered, and it is counted', async (context) => {
      const { link, journal, look, serving, account } = await openStage(context);
      const [first, story, later] = [tellStory('missed'), tellStory('voicemail'), tellStory('answered')];
      await tell(serving, account, first);
      rmSync(journal, { recursive: true, force: true });
      writeFileSync(journal, 'A file in the place of the directory.');
      await link.cut();
      const heard = await tell(serving, account, story);
      for (const [index, one] of heard.entries()) {
        const { path, query } = story.chapters[index] ?? { path: '', query: '' };
        const wantsDocument = path.endsWith('/voice') && !query.includes('step=status');
        if (wantsDocument) assert.equal(one?.status, 200, one?.body);
        else {
          assert.equal(one?.status, 503, one?.body);
          assert.match(String(one?.headers['retry-after']), /^\d+$/);
          assert.equal(JSON.parse(one?.body ?? '').code, 'telephony.not_kept');
        }
      }
      assert.match(heard[0]?.body ?? '', new RegExp(GREETING));
      assert.equal(await lostCount(serving), story.chapters.length);
      const errors = logLines(serving, 'could not be kept').map((text) => JSON.parse(text));
      assert.equal(errors.length, story.chapters.length);
      for (const error of errors) assert.ok(error.level === 'error' || error.level >= 50, JSON.stringify(error));

      // The provider sends again what was refused, and the service has recovered by itself.
      rmSync(journal);
      expectAnsweredAsKnown(await tell(serving, account, later));
      await link.restore();
      await tell(serving, account, story);
      await expectCalls(look, account, [first, story, later]);
    });

    test('and the journal’s disk is full: nothing is acknowledged that is not kept, and it continues once there is room', async (context) => {
      const small = makeDataDirectory();
      mkdirSync(join(small.path, 'journal'), { mode: 0o700 });
      if (!mountSmall(context, join(small.path, 'journal'), '64k')) return context.skip(NO_MOUNT);
      const { link, journal, look, serving, account } = await openStage(context, { given: small.path });
      context.after(small.remove);
      const [first, story, later] = [tellStory('missed'), tellStory('answered'), tellStory('voicemail')];
      await tell(serving, account, first);
      writeBallast(join(journal, '.ballast'), 64 * 1024);
      await link.cut();
      const refused = await tell(serving, account, story);
      assert.ok(refused.some((one) => one?.status === 503));
      for (const [index, one] of refused.entries())
        if (story.chapters[index]?.path.endsWith('/recording')) assert.equal(one?.status, 503, one?.body);
      rmSync(join(journal, '.ballast'));
      expectAnsweredAsKnown(await tell(serving, account, story));
      expectAnsweredAsKnown(await tell(serving, account, later));
      await link.restore();
      await expectCalls(look, account, [first, story, later]);
    });

    test('before the first delivery arrived: it is not called badly signed, but requested again', async (context) => {
      const { link, serve, serving, look, account } = await openStage(context);
      await serving.end();
      const next = await serve();
      await link.hang();
      const story = tellStory('missed');
      for (const one of await tell(next, account, story)) {
        assert.notEqual(one?.status, 403, `A signed delivery is refused as unsigned: ${one?.body}`);
        assert.ok(one && (isKept(one) || one.status === 503), `${one?.status} ${one?.body}`);
      }
      await link.restore();
      await waitUntil('the process has recovered', async () => (await next.fetch('/readyz')).status === 200, BACK_MS);
      await waitUntil('all is kept', async () => (await tell(next, account, story)).every(isKept), BACK_MS);
      await expectCalls(look, account, [story]);
    });

    test('an account in observe mode still answers its callers', async (context) => {
      const { link, serving } = await openStage(context);
      const observed = await addPhoneAccount(serving, { mode: 'observe', answer: { greeting: GREETING } });
      const [ringing] = tellStory('voicemail').chapters;
      assert.ok(ringing);
      const signed = signChapter(observed, ringing);
      const unsigned = { ...signed, headers: { ...signed.headers, 'x-twilio-signature': 'bm90IHNpZ25lZA==' } };
      assert.equal((await deliver(serving, unsigned))?.status, 200);
      await link.hang();
      const heard = await deliver(serving, unsigned);
      assert.equal(heard?.status, 200, heard?.body);
      assert.match(heard?.body ?? '', new RegExp(GREETING));
      assert.ok(heard.tookMs < LONGEST_MS, `${Math.round(heard.tookMs)} ms`);
    });
  });

  describe('while the disk is full (sqlite)', () => {
    test('nothing is acknowledged that is not kept, callers are answered, and everything continues once there is room', async (context) => {
      const small = makeDataDirectory();
      if (!mountSmall(context, small.path, '8m')) return context.skip(NO_MOUNT);
      const stage = openServeStage(context);
      context.after(small.remove);
      const serving = await stage.serve(environmentOf(small.path));
      await serving.ready();
      const account = await addPhoneAccount(serving, { answer: { greeting: GREETING } });
      const acknowledged = new Set<string>();
      const stories: Story[] = [];
      const send = async (story: Story): Promise<(Heard | null)[]> => {
        const heard = await tell(serving, account, story);
        for (const [index, chapter] of story.chapters.entries()) {
          const wantsDocument = heard[index]?.body !== '' && isKept(heard[index] ?? null);
          // An answered call doesn't mean that the delivery was kept.
          if (isKept(heard[index] ?? null) && !wantsDocument) acknowledged.add(signChapter(account, chapter).digest);
        }
        return heard;
      };
      const next = (): Story => {
        const story = tellStory(stories.length % 2 === 0 ? 'answered' : 'voicemail');
        stories.push(story);
        return story;
      };
      for (let index = 0; index < 5; index++) assert.ok((await send(next())).every(isKept));
      writeBallast(join(small.path, 'ballast'), 1024 * 1024);
      let refused = 0;
      // SQLite goes on for a while: its log's file is as long as it ever was, and has room inside.
      for (let left = MOST_STORIES; refused < 12 && left > 0; left--) {
        const heard = await send(next());
        assert.equal(heard[0]?.status, 200, 'A caller is answered.');
        assert.match(heard[0]?.body ?? '', new RegExp(GREETING));
        for (const one of heard) assert.ok(one && (isKept(one) || one.status === 503), `${one?.status} ${one?.body}`);
        refused += heard.filter((one) => one?.status === 503).length;
      }
      assert.ok(refused >= 12, `The disk was full: ${refused} deliveries were refused.`);
      let changes = 0;
      // Each changes something. SQLite may still have room for a few of them.
      const change = () =>
        serving.fetch('/api/team', {
          method: 'PATCH',
          headers: { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `${'x'.repeat(60)} ${changes++}` }),
        });
      const isRefused = async () => /disk is full/.test(await (await change()).text());
      await waitUntil('a change is refused with the reason', isRefused);
      assert.match(await (await serving.fetch('/readyz')).text(), /disk is full/);
      rmSync(join(small.path, 'ballast'));
      assert.ok(serving.isRunning());
      await waitUntil('there is room', async () => (await send(next())).every(isKept));
      assert.equal((await serving.fetch('/readyz')).status, 200);
      for (const story of stories) assert.ok((await send(story)).every(isKept), 'The provider sends it again.');
      const look = openDatabase(
        { url: null, dataDirectory: small.path, poolSize: 1, statementTimeoutMs: 10_000 },
        () => undefined,
      );
      context.after(() => look.close());
      await expectCalls(look, account, stories);
      const rows = new Set((await look.all<{ id: string }>('select id from deliveries')).map(({ id }) => id));
      assert.deepEqual(
        (await listDeliveryIds(look, account, [...acknowledged])).filter((id) => !rows.has(id)),
        [],
      );
      context.diagnostic(
        `${stories.length} stories, acknowledged ${acknowledged.size}, ${refused} refused while the disk was full, lost 0`,
      );
    });
  });

  describe('the journal', () => {
    const openJournal = async (context: TestContext) => {
      const store = await createTestStore('sqlite');
      context.after(store.remove);
      const database = openDatabase(store.settings, () => undefined);
      context.after(() => database.close());
      const directory = join(store.settings.dataDirectory, 'journal');
      const { log } = createTestLog();
      const clock = createTestClock();
      const open = (keys: string = SECRETS.PATCHBAY_KEYS) => {
        const rings = createKeyRings({ keys: new Secret(keys), keptIn: null });
        const vault = createVault({ database, rings, clock, newId: () => 'unused' });
        return createDeliveryJournal({ vault, log }, directory);
      };
      return { directory, open, database, clock, log };
    };
    let made = 0;
    const newRow = (): DeliveryRow => ({
      id: `delivery-${++made}`,
      teamId: 'team',
      accountId: 'account',
      provider: 'twilio',
      route: 'voice',
      receivedAt: 1,
      secretId: 'secret',
      payload: 'sealed',
    });
    const keepIds = (ids: Set<string>) => async (rows: readonly DeliveryRow[]) => {
      for (const { id } of rows) ids.add(id);
    };

    test('loses nothing that arrives while it is read back', async (context) => {
      const { open, directory } = await openJournal(context);
      const journal = open();
      const stored = new Set<string>();
      const kept: string[] = [];
      const append = async () => {
        const row = newRow();
        await journal.append(row);
        kept.push(row.id);
      };
      for (let round = 0; round < 400; round++) {
        const first = append();
        // At each moment when a new file may be half created.
        for (let turn = 0; turn < round % 8; turn++) await stat(directory).catch(() => null);
        const ingested = journal.ingest(keepIds(stored)).catch(() => 0);
        await Promise.all([first, ingested]);
        await append();
        await journal.ingest(keepIds(stored)).catch(() => 0);
      }
      for (let turn = 0; turn < 3; turn++) await journal.ingest(keepIds(stored)).catch(() => 0);
      assert.deepEqual(
        kept.filter((id) => !stored.has(id)),
        [],
      );
    });

    test('is not taken from the process writing it by a command running next to it', async (context) => {
      const { open } = await openJournal(context);
      const [server, command] = [open(), open()];
      const stored = new Set<string>();
      const kept: string[] = [];
      const append = async () => {
        const row = newRow();
        await server.append(row);
        kept.push(row.id);
      };
      await append();
      await command.ingest(keepIds(stored));
      await append();
      for (let turn = 0; turn < 3; turn++) await server.ingest(keepIds(stored)).catch(() => 0);
      assert.deepEqual(
        kept.filter((id) => !stored.has(id)),
        [],
      );
    });

    test('keeps what it cannot open until the key is back', async (context) => {
      const { open } = await openJournal(context);
      const row = newRow();
      const journal = open();
      await journal.append(row);
      await journal.close();
      const stored = new Set<string>();
      await open('k9:Zk3Xv8Lq1Wn6Rb9Yt2Hc7Jd4Mf0Ps5Gw8Xe1Qa6U7i0=')
        .ingest(keepIds(stored))
        .catch(() => 0);
      assert.equal(stored.size, 0);
      await open().ingest(keepIds(stored));
      assert.deepEqual([...stored], [row.id]);
    });

    test('does not hold up everything else for one delivery the database refuses', async (context) => {
      const { open, database, log } = await openJournal(context);
      const journal = open();
      // For a team that doesn't exist.
      await journal.append(newRow());
      await database.run(
        "insert into teams (id, name, time_zone, payload_days, created_at) values ('team-a', 'A', 'UTC', 30, 1)",
      );
      await database.run(
        `insert into telephony_accounts (id, team_id, provider, secrets, mode, removes_archived, change, created_at)
        values ('account', 'team-a', 'twilio', '', 'enforce', 0, 1, 1)`,
      );
      const good = { ...newRow(), teamId: 'team-a' };
      await journal.append(good);
      const keeper = createDeliveryKeeper({ database, log }, journal);
      context.after(() => keeper.close());
      await keeper.ingest();
      assert.ok(await database.get('select id from deliveries where id = $1', [good.id]));
    });

    test('gives way to the database soon after a failure, even if the clock was set back', async (context) => {
      const { open, database, clock, log } = await openJournal(context);
      let away = true;
      const insertRows: Database['insertRows'] = async (_, rows) => {
        if (away) throw new DatabaseUnavailable('It is away.');
        return rows.map(() => 'inserted' as const);
      };
      const failing = { ...database, insertRows };
      const keeper = createDeliveryKeeper({ database: failing, log }, open());
      context.after(() => keeper.close());
      assert.equal(await keeper.keep(newRow()), 'journaled');
      away = false;
      clock.advance(-3_600_000);
      await waitUntil(
        'the database is tried again',
        async () => {
          clock.advance(100);
          return (await keeper.keep(newRow())) === 'stored';
        },
        3_000,
      );
    });
  });
});
