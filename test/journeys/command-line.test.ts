import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { Secret } from '../../src/platform/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { runCommand, runProgram, settingsOf } from '../harness/run-command.ts';
import { openSession } from '../harness/sessions.ts';
import { waitUntil } from '../harness/wait-until.ts';

const COMMANDS = [
  'serve',
  'migrate',
  'team list',
  'team create',
  'team delete',
  'user list',
  'user add',
  'user link',
  'user role',
  'user email',
  'user sign-out',
  'user remove',
  'token list',
  'token create',
  'token revoke',
  'keys list',
  'keys rotate',
  'telephony account list',
  'telephony account show',
  'telephony account add',
  'telephony account change',
  'telephony account release',
  'telephony account remove',
  'telephony number list',
  'telephony number add',
  'telephony number remove',
  'telephony erase',
  'report run',
  'report show',
  'report verify',
  'report preview',
  'simulate calls',
  'jobs count',
  'jobs dead',
  'jobs retry',
  'backup',
  'backup check',
  'backup list',
  'import nango',
  'doctor',
];

describe('the command line', () => {
  let data: string;

  before(() => {
    data = mkdtempSync(join(tmpdir(), 'patchbay-cli-'));
  });

  after(() => rmSync(data, { recursive: true, force: true }));

  const run = (...args: string[]) => runCommand(args, { PATCHBAY_DATA: data });

  test('lists its commands and what each takes, without touching anything', async () => {
    const overview = await run('--help');
    assert.equal(overview.code, 0);
    for (const command of COMMANDS) assert.ok(overview.stdout.includes(`  ${command}`), command);
    for (const command of ['serve', 'token create', 'keys rotate']) {
      const { code, stdout } = await run(...command.split(' '), '--help');
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`npm run patchbay -- ${command}`) && stdout.includes('--json'), stdout);
    }
  });

  test('a wrong call gets one line and exit code 2', async () => {
    const wrong = [
      ['nonsense'],
      ['user', 'link'],
      ['user', 'add', 'no-address'],
      ['token', 'create', 'a@b.c', '--days', '0'],
      ['team', 'list', '--what'],
      ['team', 'create', ''],
      ['team', 'create', ' \t'],
      ['team', 'create', 'x'.repeat(201)],
      ['user', 'add', 'a@b.c', '--name', ' '],
      ['token', 'create', 'a@b.c', '--name', ''],
    ];
    for (const args of wrong) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    }
    assert.equal((await run('user')).code, 2);
  });

  test('a wrong call is told what is wrong', async () => {
    const wrong: [string, string][] = [
      ['bogus', 'There is no command "bogus". Run "npm run patchbay -- --help" to list the commands.'],
      ['team bogus', 'There is no command "team bogus". Run "npm run patchbay -- team --help" to list the commands.'],
      [
        'telephony account bogus x',
        'There is no command "telephony account bogus". Run "npm run patchbay -- telephony account --help" to list the commands.',
      ],
      ['team list --bogus', '"team list" has no option --bogus. Add --help to see its options.'],
      [
        'telephony account add bogus',
        'Unknown provider "bogus". Use one of twilio, signalwire, telnyx, plivo, vonage, bandwidth.',
      ],
    ];
    for (const [call, says] of wrong) {
      const { code, stdout, stderr } = await run(...call.split(' '));
      assert.deepEqual([code, stdout, stderr], [2, '', `${says}\n`]);
    }
    const { stdout } = await run('telephony', 'account', '--help');
    assert.match(stdout, /telephony account add/);
    assert.doesNotMatch(stdout, /telephony number/);
  });

  test('a directory without a database is left alone, and the command says how to find the right one', async () => {
    const elsewhere = join(data, 'elsewhere');
    for (const command of ['simulate calls', 'user link a@b.c', 'team list', 'keys list', 'doctor']) {
      const { code, stdout, stderr } = await runCommand(command.split(' '), { PATCHBAY_DATA: elsewhere });
      assert.deepEqual([code, stdout], [1, ''], command);
      assert.ok(stderr.startsWith(`There is no database in ${elsewhere}. Run this with the settings`), stderr);
      assert.equal(existsSync(elsewhere), false, command);
    }
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'patchbay.db'), '');
    const empty = await runCommand(['team', 'list'], { PATCHBAY_DATA: elsewhere });
    assert.equal(empty.code, 1);
    assert.match(empty.stderr, /^The database is empty\. Check that PATCHBAY_DATA or DATABASE_URL/);
  });

  test('a fresh directory is migrated once', async () => {
    assert.match((await run('migrate')).stdout, /^Applied 0001-teams-teams/);
    assert.match((await run('migrate')).stdout, /^The database is already up to date/);
    assert.deepEqual(JSON.parse((await run('migrate', '--json')).stdout), { applied: [] });
    const empty = await run('user', 'link', 'nobody@example.com');
    assert.equal(empty.code, 1);
    assert.equal(empty.stdout, '');
  });
});

onOneEngine('next to a running service', (engine) => {
  let house: TestApp;

  beforeEach(async () => {
    house = await createTestApp(engine);
  });

  afterEach(() => house.close());

  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], settingsOf(house));
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  const statusWith = async (token: string) =>
    (await house.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } })).statusCode;

  test('teams, users and tokens are created and removed', async () => {
    const { team } = await json('team', 'create', 'New Team');
    const added = await json('user', 'add', 'boss@new.example', '--team', team.id, '--role', 'admin');
    assert.equal(added.user.role, 'admin');
    const token = await json('token', 'create', 'boss@new.example', '--days', '2');
    assert.deepEqual(Object.keys(token).sort(), ['createdAt', 'expiresAt', 'id', 'name', 'token']);
    assert.equal(Date.parse(token.expiresAt) - Date.parse(token.createdAt), 2 * 86_400_000);
    assert.equal(await statusWith(token.token), 200);
    const { link } = await json('user', 'link', 'boss@new.example');
    assert.equal((await house.server.inject({ method: 'POST', url: new URL(link.address).pathname })).statusCode, 303);
    await json('token', 'revoke', token.id, '--team', team.id);
    await waitUntil('the token is refused', async () => (await statusWith(token.token)) === 401, 1_000);
    const second = await json('token', 'create', 'boss@new.example');
    await json('user', 'add', 'other@new.example', '--team', team.id, '--role', 'admin');
    await json('user', 'remove', 'boss@new.example', '--yes');
    assert.equal(await statusWith(second.token), 401);
    assert.deepEqual(
      (await json('user', 'list', '--team', team.id)).users.map(({ email }: { email: string }) => email),
      ['other@new.example'],
    );
    assert.deepEqual((await json('token', 'list', '--team', team.id)).tokens, []);
    assert.equal((await json('team', 'list')).teams.length, 2);
  });

  test('times in JSON are ISO 8601, as in the API', async () => {
    const answers = [
      await json('team', 'create', 'Timely'),
      await json('user', 'add', 'a@timely.example'),
      await json('user', 'link', 'a@timely.example'),
      await json('user', 'role', 'a@timely.example', 'admin'),
      await json('token', 'create', 'a@timely.example'),
      await json('team', 'list'),
      await json('user', 'list'),
      await json('token', 'list'),
    ];
    for (const answer of answers) {
      const times = [...JSON.stringify(answer).matchAll(/"\w+At":([^,}]+)/g)].map(([, value]) => value);
      assert.ok(times.length > 0, JSON.stringify(answer));
      for (const time of times) assert.match(time ?? '', /^null$|^"\d{4}-\d\d-\d\dT[\d:.]+Z"$/);
    }
  });

  test('an address in several teams is asked which one, by id and name', async () => {
    const ids = [];
    for (const name of ['North', 'South']) {
      const { team } = await json('team', 'create', name);
      await json('user', 'add', 'both@example.com', '--team', team.id);
      ids.push(`${team.id}  ${name}\n`);
    }
    const { code, stderr } = await runCommand(['token', 'create', 'both@example.com'], settingsOf(house));
    assert.equal(code, 1);
    for (const id of ids) assert.ok(stderr.includes(id), stderr);
  });

  test("a user's sessions are ended in every team, and their tokens stay", async () => {
    const { member } = await house.createTeam('signed-out');
    const other = await house.createTeam('signed-out-too');
    const { email } = member.user;
    await json('user', 'add', email ?? '', '--team', other.team.id);
    const begun = await openSession(house, member.user);
    const ask = async () => (await house.server.inject({ url: '/api/team', headers: begun.headers })).statusCode;
    assert.equal(await ask(), 200);
    assert.deepEqual(await json('user', 'sign-out', email ?? ''), { ended: 1, handed: 0 });
    await waitUntil('the session is over', async () => (await ask()) === 401);
    assert.equal(await statusWith(member.token), 200);
    assert.deepEqual(await json('user', 'sign-out', email ?? ''), { ended: 0, handed: 0 });
  });

  test('a team is deleted beside the running service, and only with --yes', async () => {
    const { team, admin } = await house.createTeam('short-lived');
    const refused = await runCommand(['team', 'delete', team.id], settingsOf(house));
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--yes/);
    assert.equal(await statusWith(admin.token), 200);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await json('team', 'delete', team.id, '--yes'), { id: team.id, state: 'erasing' });
    await waitUntil('its token is refused', async () => (await statusWith(admin.token)) === 401, 2_000);
    const { teams } = await json('team', 'list');
    assert.ok(!teams.some(({ id }: { id: string }) => id === team.id));
    for (const wrong of ['nobody', teams[0].id])
      assert.equal((await runCommand(['team', 'delete', wrong, '--yes'], settingsOf(house))).code, 1, wrong);
  });

  test('what cannot be undone is done only with --yes', async () => {
    const secretFile = join(house.config.data, 'secret');
    writeFileSync(secretFile, 'e'.repeat(32));
    const { id } = await json('telephony', 'account', 'add', 'twilio', '--secret-file', secretFile);
    const { member } = await house.createTeam('kept');
    const email = member.user.email ?? '';
    const commands = [
      { args: ['user', 'remove', email], about: /their access tokens/, done: { removed: member.user.id } },
      { args: ['telephony', 'account', 'remove', id], about: /its secrets and numbers/, done: { removed: id } },
      { args: ['telephony', 'erase', '+15551230001'], about: /calls with their recordings/, done: { calls: 0 } },
    ];
    for (const { args, about } of commands) {
      const { code, stderr } = await runCommand(args, settingsOf(house));
      assert.deepEqual([code, about.test(stderr), stderr.endsWith(' Add --yes.\n')], [2, true, true], stderr);
    }
    assert.equal(await statusWith(member.token), 200);
    assert.equal((await json('telephony', 'account', 'list')).accounts.length, 1);
    for (const { args, done } of commands) assert.partialDeepStrictEqual(await json(...args, '--yes'), done);
  });

  test('no team is created with the keys of another database', async () => {
    const before = (await json('team', 'list')).teams.length;
    const env = { ...settingsOf(house), PATCHBAY_KEYS: extendKeyRing(undefined).replace('k1', 'k9') };
    const refused = await runCommand(['team', 'create', 'Oops'], env);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is missing key "k1".*check that these are the keys of this database/);
    assert.equal((await json('team', 'list')).teams.length, before);
    assert.match((await runCommand(['keys', 'rotate'], env)).stderr, /is missing key "k1"/);
  });

  test('keys are rotated while the service seals and opens', async () => {
    const place = { record: 'r', field: 'f' };
    const { team } = await house.createTeam('acme');
    const sealed = await house.app.vault.seal(team.id, place, new Secret('kept'));
    const ring = extendKeyRing(house.config.keys?.reveal());
    const env = { ...settingsOf(house), PATCHBAY_KEYS: ring };
    const rotated = await runCommand(['keys', 'rotate'], env);
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(
      rotated.stdout,
      /Team keys re-encrypted with "k2": 2\. Connects .*: after ten minutes, remove k1 from PATCHBAY_KEYS and restart\. /,
    );
    assert.match((await runCommand(['keys', 'list'], env)).stdout, /k2 {3}encrypts {2}2\nk1 {3}decrypts {2}0/);
    assert.match((await runCommand(['keys', 'rotate'], env)).stdout, /All team keys already use "k2"/);
    assert.equal((await house.app.vault.open(team.id, place, sealed)).reveal(), 'kept');
    const deadThings = {
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_BUCKET: 'recordings',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'pb@example.com',
    };
    const old = await runCommand(['doctor'], { ...settingsOf(house), ...deadThings });
    assert.equal(old.code, 1);
    assert.match(old.stdout, /trouble {2}keys .*is missing key "k2"/);
    assert.match(old.stdout, /trouble {2}mail .*Check SMTP_URL/);
    assert.match(old.stdout, /trouble {2}recordings .*Check the S3_\* settings/);
  });

  test('the doctor says what is fine and what to do', async () => {
    // An address where nothing listens, whatever else runs on this machine.
    const env = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9' };
    const { findings, healthy } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
    assert.equal(healthy, true);
    const checks = findings.map(({ check, state }: { check: string; state: string }) => `${check}: ${state}`);
    assert.deepEqual(checks, [
      'settings: ok',
      'database: ok',
      'migrations: ok',
      'clock: ok',
      'keys: ok',
      'disk: ok',
      ...(engine === 'postgresql' ? ['recordings: warning'] : []),
      'public address: warning',
    ]);
  });

  test('the doctor names settings that do not exist', async () => {
    const env = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9', PATCHBAY_ADMIN_EMIAL: 'a@example.com' };
    const { findings } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
    assert.equal(findings[0].state, 'warning');
    assert.match(findings[0].message, /PATCHBAY_ADMIN_EMIAL \(did you mean PATCHBAY_ADMIN_EMAIL\?\)/);
  });

  test('the doctor counts the deliveries that wait in the journal', async () => {
    const journal = join(house.config.data, 'journal');
    mkdirSync(journal);
    writeFileSync(join(journal, '1-left-by-another-key'), 'one\ntwo\n');
    const env = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9' };
    const { findings } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
    const found = findings.find(({ check }: { check: string }) => check === 'journal');
    assert.equal(found?.state, 'warning');
    assert.match(found.message, /^2 deliveries wait in .*journal\. The service stores them when the database is back/);
  });

  test('the doctor says in production that no email is sent without a mail server', async () => {
    const env = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9', NODE_ENV: 'production' };
    const { stdout, stderr } = await runCommand(['doctor', '--json'], env);
    const found = JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'mail');
    assert.equal(found?.state, 'warning', stderr);
    assert.match(found.message, /Set SMTP_URL and MAIL_FROM\.$/);
  });

  test('the doctor warns of recordings that other processes on the database cannot read', async () => {
    const look = async (env: Record<string, string>) => {
      const all = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9', ...env };
      const { findings } = JSON.parse((await runCommand(['doctor', '--json'], all)).stdout);
      return findings.find(({ check }: { check: string }) => check === 'recordings');
    };
    const found = await look({});
    assert.equal(found?.state, engine === 'postgresql' ? 'warning' : undefined);
    if (found) assert.match(found.message, /set PATCHBAY_RECORDINGS to a directory that all of them share/);
    assert.equal((await look({ PATCHBAY_RECORDINGS: house.config.data }))?.state, 'ok');
    const file = join(house.config.data, 'a-file');
    writeFileSync(file, '');
    const wrong = await look({ PATCHBAY_RECORDINGS: file });
    assert.deepEqual(
      [wrong?.state, wrong?.message],
      ['trouble', `${file} is not writable. Check PATCHBAY_RECORDINGS.`],
    );
    const unmounted = await look({ PATCHBAY_RECORDINGS: join(house.config.data, 'unmounted') });
    assert.equal(unmounted?.state, 'warning');
  });

  test('the doctor counts the teams of another identity provider', async () => {
    const add = (id: string) =>
      house.app.database.run(
        `insert into teams (id, name, time_zone, payload_days, issuer, subject, created_at)
         values ($1, 'outside', 'UTC', 30, 'https://old.example', $1, 1)`,
        [id],
      );
    await add('t-1');
    await add('t-2');
    const warn = async (env: Record<string, string>) => {
      const all = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9', ...env };
      const { findings } = JSON.parse((await runCommand(['doctor', '--json'], all)).stdout);
      const [found] = findings.filter(({ check }: { check: string }) => check === 'identity provider');
      return found && `${found.state}: ${found.message}`;
    };
    const message = "2 teams belong to an identity provider that isn't AUTH_ISSUER, such as https://old.example.";
    const changed = await warn({ AUTH_ISSUER: 'https://new.example', AUTH_AUDIENCE: 'patchbay' });
    assert.ok(changed.startsWith(`warning: ${message}`), changed);
    assert.ok((await warn({})).startsWith(`warning: ${message}`));
    assert.equal(await warn({ AUTH_ISSUER: 'https://old.example', AUTH_AUDIENCE: 'patchbay' }), undefined);
  });

  test('a wrong argument gets exit code 2, even if only the service can tell', async () => {
    const env = settingsOf(house);
    const secretFile = join(house.config.data, 'secret');
    writeFileSync(secretFile, 'e'.repeat(32));
    const { id } = await json('telephony', 'account', 'add', 'twilio', '--secret-file', secretFile);
    const wrong = [
      ['telephony', 'erase', '15551230001', '--yes'],
      ['telephony', 'account', 'add', 'bogus', '--secret-file', secretFile],
      ['telephony', 'account', 'add', 'twilio', '--secret-file', '/nope'],
      ['telephony', 'account', 'add', 'twilio', '--secret-file', secretFile, '--api-file', secretFile],
      ['telephony', 'number', 'add', '+15551230001', '--account', id, '--forward-to', 'abc'],
      ['report', 'run', '--week', '2999-W01'],
    ];
    for (const args of wrong) {
      const { code, stderr } = await runCommand(args, env);
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
    }
  });

  test('a command ends by itself, with its own exit code', async () => {
    const env = settingsOf(house);
    const endings: [string, number][] = [
      ['team list --json', 0],
      ['report run --json', 0],
      ['jobs retry nothing', 1],
      ['team list --what', 2],
    ];
    for (const [command, expected] of endings) {
      const { code, stdout, stderr } = await runProgram(command.split(' '), env);
      assert.equal(code, expected, stderr);
      if (expected === 0) assert.doesNotThrow(() => JSON.parse(stdout), stdout);
      else assert.match(stderr, /^[^\n]+\n$/);
    }
  });

  test('a database from a newer version is refused by every command, and the doctor says so', async () => {
    await house.app.database.run('insert into schema_migrations (id, digest, applied_at) values ($1, $2, $3)', [
      '9000-later',
      'x',
      0,
    ]);
    const env = { ...settingsOf(house), PATCHBAY_URL: 'http://127.0.0.1:9' };
    const commands = [
      'team list',
      'team create Later',
      'token list',
      'keys list',
      'jobs count',
      'report run',
      'migrate',
    ];
    for (const command of commands) {
      const { code, stderr } = await runCommand(command.split(' '), env);
      assert.equal(code, 1, command);
      assert.match(
        stderr,
        /^The database is newer than this version of Patchbay: it has migration 9000-later/,
        command,
      );
    }
    const { code, stdout } = await runCommand(['doctor'], env);
    assert.equal(code, 1);
    assert.match(stdout, /trouble {2}migrations {6}The database is newer than this version of Patchbay/);
  });

  test('jobs are counted', async () => {
    assert.deepEqual(await json('jobs', 'count'), { queued: 0, active: 0, failed: 0, oldestSeconds: null });
    assert.deepEqual(await json('jobs', 'dead'), { dead: [] });
    assert.equal((await runCommand(['jobs', 'retry', 'nothing'], settingsOf(house))).code, 1);
    assert.deepEqual(await json('jobs', 'retry', 'all'), { retried: 0 });
  });
});
