import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { OPERATOR } from '../harness/customers.ts';
import { settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/patchbay.js');

const RUNBOOK = readFileSync('docs/incidents.md', 'utf8');
/** About a page. */
const MOST_WORDS = 680;

/** The commands of the runbook, in order. */
const COMMANDS = [...RUNBOOK.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n'),
);

test('the runbook fits on a page, and each of its steps has a command', () => {
  const [intro = '', ...steps] = RUNBOOK.split(/^## /m);
  assert.ok(steps.length > 0 && !intro.includes('```sh'));
  for (const step of steps) assert.match(step, /^\d\. .*\n\n```sh\n/);
  const words = RUNBOOK.split(/\s+/).length;
  assert.ok(words <= MOST_WORDS, `It has ${words} words.`);
});

test('every command of the runbook does what it says, in its order', async (context) => {
  const stage = await createTestApp('sqlite');
  const place = makeTestDirectory('patchbay-runbook-');
  context.after(async () => {
    await stage.close();
    place.remove();
  });
  const { admin } = await stage.createTeam('runbook');
  const values: Record<string, string> = { '<email>': admin.user.email ?? '' };

  const fill = (command: string): string => command.replace(/<\w+>/g, (name) => values[name] ?? name);

  /** Runs a command as it is, in a shell. Only the program is called directly, because npm would take a second. */
  const run = (command: string): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      const text = fill(command).replace(/npm run (?:-s )?patchbay --/, `'${process.execPath}' '${PROGRAM}'`);
      const env = { PATH: process.env['PATH'] ?? '', ...settingsOf(stage) };
      const child = spawn('/bin/sh', ['-c', text], { cwd: place.path, env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.on('close', (code) => resolve({ code, output }));
    });

  /** Sends what a `curl` would, without a port. */
  const send = async (command: string): Promise<{ code: number | null; output: string }> => {
    const [, method, payload, url] =
      /^curl -X (POST|DELETE) .*?(?:-d '([^']+)' )?"\$PATCHBAY_URL([^"]+)"$/.exec(fill(command)) ?? [];
    assert.ok(url, command);
    const headers = { ...OPERATOR, ...(payload && { 'content-type': 'application/json' }) };
    const sent = { method: method as 'POST' | 'DELETE', url, headers, ...(payload && { payload }) };
    const { statusCode, body } = await stage.server.inject(sent);
    return { code: statusCode === 200 ? 0 : statusCode, output: body };
  };

  const outputs: string[] = [];
  for (const command of COMMANDS) {
    const { code, output } = await (command.startsWith('curl') ? send(command) : run(command));
    assert.equal(code, 0, `${command}\n${output}`);
    outputs.push(output);
    values['<ID>'] ??= /^[0-9a-f-]{36}(?=: Stopped)/m.exec(output)?.[0] ?? '';
    if (values['<ID>'] === '') delete values['<ID>'];
  }
  const said = (part: string): string => outputs[COMMANDS.findIndex((command) => command.includes(part))] ?? '';
  assert.match(said('--dry-run'), /^This would stop 0 connections and 0 access tokens\. Nothing has changed\./);
  assert.match(
    said('contain list'),
    new RegExp(`${values['<ID>']}.*Stopped, in progress.*sandbox.*A laptop was stolen\\.`),
  );
  assert.match(said('curl -X POST'), /"dryRun":true,"connections":0,/);
  assert.match(said('curl -X DELETE'), /"state":"lifted"/);
  assert.match(said('contain lift'), /: Lifted\.\nsandbox, with revocation: A laptop was stolen\./);
  assert.match(readFileSync(join(place.path, 'connections.csv'), 'utf8'), /^team,teamKey,provider,/);
  assert.match(readFileSync(join(place.path, 'exposure.csv'), 'utf8'), /^team,teamKey,provider,/);
  values['<team>'] = admin.user.teamId;
  await run("npm run patchbay -- contain --team <team> --reason 'A token is in a public repository.'");
  const listed = await run('npm run patchbay -- token list --team <team>');
  assert.match(listed.output, /^id .*state$/m);
  assert.match(listed.output, / Stopped$/m);
});
