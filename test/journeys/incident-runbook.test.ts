import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/patchbay.js');

/** The commands of the runbook, in order. */
const COMMANDS = [...readFileSync('docs/incidents.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(
  ([, block = '']) => block.trim().split('\n'),
);

test('every command of the runbook does what it says, in its order', async (context) => {
  const stage = await createTestApp('sqlite');
  const place = makeTestDirectory('patchbay-runbook-');
  context.after(async () => {
    await stage.close();
    place.remove();
  });
  const { admin } = await stage.createTeam('runbook');
  const values: Record<string, string> = { '<email>': admin.user.email ?? '' };

  /** Runs a command as it is, in a shell. Only the program is called directly, because npm would take a second. */
  const run = (command: string): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      const filled = command.replace(/<\w+>/g, (name) => values[name] ?? name);
      const text = filled.replace(/npm run (?:-s )?patchbay --/, `'${process.execPath}' '${PROGRAM}'`);
      const env = { PATH: process.env['PATH'] ?? '', ...settingsOf(stage) };
      const child = spawn('/bin/sh', ['-c', text], { cwd: place.path, env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.on('close', (code) => resolve({ code, output }));
    });

  const outputs: string[] = [];
  for (const command of COMMANDS) {
    const { code, output } = await run(command);
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
  assert.match(said('contain lift'), /: Lifted\.\nsandbox, with revocation: A laptop was stolen\./);
  assert.match(readFileSync(join(place.path, 'connections.csv'), 'utf8'), /^team,teamKey,provider,/);
  assert.match(readFileSync(join(place.path, 'exposure.csv'), 'utf8'), /^team,teamKey,provider,/);
});
