import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W45';

describe('a file planted where a report is previewed', {
  skip: process.platform === 'win32' && 'Windows has neither file modes nor links that anyone can create.',
}, () => {
  const stage = useStage(() => createTestApp('sqlite'));

  test('is replaced: a link leads nowhere, and nobody else can read the email', async () => {
    const { team } = await stage.createTeam('acme');
    const { path: directory, remove } = makeTestDirectory('patchbay-preview-');
    const [target, html, text] = ['target', `${WEEK}.html`, `${WEEK}.txt`].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    try {
      writeFileSync(target, 'untouched');
      symlinkSync(target, html);
      writeFileSync(text, 'planted');
      chmodSync(text, 0o666);
      const args = ['report', 'preview', '--team', team.id, '--week', WEEK, '--to', directory];
      const { code, stderr } = await runCommand(args, settingsOf(stage));
      assert.equal(code, 0, stderr);
      assert.equal(readFileSync(target, 'utf8'), 'untouched');
      for (const path of [html, text]) {
        assert.ok(lstatSync(path).isFile(), path);
        assert.equal(lstatSync(path).mode & 0o777, 0o600, path);
        assert.match(readFileSync(path, 'utf8'), /Week 45/);
      }
      assert.deepEqual(readdirSync(directory).sort(), [`${WEEK}.html`, `${WEEK}.txt`, 'target']);
    } finally {
      remove();
    }
  });
});
