import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CommandRefused, Refusal, UsageRefused } from '../../src/platform/index.ts';
import { reportCommands } from '../../src/reports/index.ts';
import { spanOf } from '../../src/reports/week/week.ts';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const WEEK = '2026-W45';
const NOT_MADE = '2026-W44';
const { startsAt } = spanOf(WEEK, 'UTC');

onOneEngine('reports on the command line', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let teamId: string;
  let accountId: string;
  let directory: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-preview-'));
    ({ id: teamId } = (await stage.createTeam('acme')).team);
    accountId = stage.app.newId();
    await stage.app.database.run(
      `insert into telephony_accounts (id, team_id, provider, secrets, mode, removes_archived, change, created_at)
        values ($1, $2, 'none', '', 'enforce', 0, -1, 1)`,
      [accountId, teamId],
    );
    await addCall('answered');
    await addCall('missed');
  });

  after(async () => {
    rmSync(directory, { recursive: true, force: true });
  });

  const addCall = (outcome: string) =>
    stage.app.database.run(
      `insert into calls (id, team_id, account_id, provider, external_id, direction, from_hash, to_hash, status, outcome,
        evidence, started_at, ended_at, talk_seconds, updated_at)
        values ($1, $2, $3, 'none', $1, 'inbound', 'somebody', 'us', 'ended', $4, '[]', $5, $6, 7, $6)`,
      [stage.app.newId(), teamId, accountId, outcome, startsAt, startsAt + 60_000],
    );

  const call = async (name: string, options: Record<string, string | boolean> = {}) => {
    const commands = reportCommands(async () => stage.app);
    const command = commands.find((known) => known.name === `report ${name}`) ?? assert.fail(name);
    const output = await command.run({
      words: [],
      options: { team: teamId, ...options },
      json: false,
      progress: () => undefined,
    });
    return { ...output, json: JSON.parse(JSON.stringify(output.json)) };
  };

  const countRows = async (table: 'reports' | 'report_deliveries') =>
    (await stage.app.database.all(`select id from ${table} where team_id = $1`, [teamId])).length;

  test('are previewed before they are made, and nothing is kept or sent', async () => {
    await assert.rejects(call('show'), CommandRefused);
    const { json, text } = await call('preview', { week: NOT_MADE, to: directory });
    assert.equal(json.isMade, false);
    assert.match(text, /There is no report for 2026-W44 yet/);
    assert.equal(await countRows('reports'), 0);
  });

  test('are made once', async () => {
    const first = await call('run', { week: WEEK });
    assert.equal(first.json.created, 1);
    assert.match(first.text, /Created 1, existing 0, queued 0, failed 0\./);
    assert.equal((await call('run', { week: WEEK })).json.existing, 1);
    assert.equal(await countRows('reports'), 1);
    const runs = await stage.app.database.all('select asked_by as "askedBy" from report_runs');
    assert.deepEqual(
      runs.map((run) => ({ ...run })),
      [{ askedBy: 'command_line' }, { askedBy: 'command_line' }],
    );
  });

  test('are shown as text, the newest if no week is given', async () => {
    const { text, json } = await call('show');
    assert.equal(json.week, WEEK);
    assert.equal(json.figures.calls.inbound.value, 2);
    assert.match(text, /^Week 45, November 2–8, 2026 · acme$/m);
    assert.match(text, /^ {2}Inbound +2$/m);
    assert.match(text, /^ {2}Unanswered +1 +50% of inbound calls that have ended$/m);
    await assert.rejects(call('show', { week: NOT_MADE }), Refusal);
  });

  test('are previewed as HTML and plain-text email, readable by nobody else', async () => {
    const told = await countRows('report_deliveries');
    const { json } = await call('preview', { to: directory });
    assert.equal(json.isMade, true);
    assert.equal(json.html, join(directory, `${WEEK}.html`));
    for (const path of [json.html, json.text]) {
      assert.match(readFileSync(path, 'utf8'), /Week 45, November 2–8, 2026 · acme/);
      assert.equal(statSync(path).mode & 0o077, 0);
    }
    assert.match(readFileSync(json.html, 'utf8'), /^<!doctype html>/);
    assert.equal(await countRows('report_deliveries'), told);
  });

  test('are verified by recounting; late data is named and makes a new revision', async () => {
    const equal = await call('verify');
    assert.deepEqual([equal.exitCode, equal.json.isEqual, equal.json.differences], [0, true, []]);
    await addCall('busy');
    const late = await call('verify');
    assert.deepEqual([late.exitCode, late.json.isEqual, late.json.isLate], [1, false, true]);
    const inbound = late.json.differences.find(({ figure }: { figure: string }) => figure === 'calls.inbound.value');
    assert.deepEqual(inbound, { figure: 'calls.inbound.value', reported: 2, counted: 3 });
    assert.match(late.text, /^calls\.inbound\.value +2 +3$/m);
    assert.match(late.text, /Run "report run --week 2026-W45" to create a new revision/);
    await call('run', { week: WEEK });
    const { exitCode, json } = await call('verify', { week: WEEK });
    assert.deepEqual([exitCode, json.revision, json.isEqual], [0, 2, true]);
  });

  test('for an unknown week or team are refused in one line', async () => {
    for (const name of ['run', 'show', 'verify', 'preview'])
      await assert.rejects(call(name, { week: '2026-W54' }), UsageRefused, name);
    for (const name of ['show', 'verify', 'preview'])
      await assert.rejects(call(name, { team: 'nobody' }), CommandRefused, name);
    await assert.rejects(call('run', { team: 'nobody' }), Refusal);
    await assert.rejects(call('run', { week: '2090-W01' }), Refusal);
  });

  // Which database there is makes no difference to the desktop.
  if (process.platform !== 'linux' || engine !== 'sqlite') return;
  test('are opened with the desktop’s own program', async () => {
    const opened = join(directory, 'opened');
    const opener = join(directory, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`);
    chmodSync(opener, 0o755);
    const args = ['report', 'preview', '--team', teamId, '--to', directory, '--open', '--json'];
    const env = { ...settingsOf(stage), PATH: `${directory}:${process.env['PATH']}` };
    const { code, stdout, stderr } = await runCommand(args, env);
    assert.equal(code, 0, stderr);
    const { html, isOpened } = JSON.parse(stdout);
    assert.equal(isOpened, true);
    const read = () => statSync(opened, { throwIfNoEntry: false }) && readFileSync(opened, 'utf8');
    await waitUntil('the file is opened', async () => read() === html, 5_000);
  });
});
