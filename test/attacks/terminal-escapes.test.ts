import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { type Ran, runCommand, settingsOf } from '../harness/run-command.ts';
import { useStage } from '../harness/use-stage.ts';

/** Clears the screen, sets the title, turns the line around: in both spellings of an escape. */
const HOSTILE = 'ci\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u200b\u{e0041}end\r';

describe('a name that a terminal would take for a command', () => {
  const stage = useStage(() => createTestApp('sqlite'));

  const expectHarmless = ({ stdout, stderr }: Ran, what: string): void =>
    assert.doesNotMatch(stdout + stderr, /(?![\n\t])[\p{Cc}\p{Cf}]/u, what);

  test('is printed by no command as more than its letters', async () => {
    const { team, member } = await stage.createTeam('acme');
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: member.headers,
      payload: { name: HOSTILE },
    });
    assert.equal(made.statusCode, 201, made.body);
    const run = (...args: string[]): Promise<Ran> => runCommand([...args, '--team', team.id], settingsOf(stage));
    expectHarmless(await run('token', 'list'), 'token list');
    const json = await run('token', 'list', '--json');
    expectHarmless(json, 'token list --json');
    assert.match(json.stdout, /\\u202e/);
    assert.ok(
      JSON.parse(json.stdout).tokens.some(({ name }: { name: string }) => name === HOSTILE),
      'A program still reads the name as it is.',
    );
    const revoked = await run('token', 'revoke', made.json().id);
    assert.equal(revoked.code, 0, revoked.stderr);
    assert.match(revoked.stdout, /^Revoked "ci\[2J.*end"\.\n$/);
    expectHarmless(revoked, 'token revoke');
  });

  test('is printed by no refusal as more than its letters', async () => {
    const refused = await runCommand([HOSTILE], settingsOf(stage));
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /There is no command "ci/);
    expectHarmless(refused, 'an unknown command');
    expectHarmless(await runCommand([HOSTILE, '--json'], settingsOf(stage)), 'an unknown command, as JSON');
  });
});
