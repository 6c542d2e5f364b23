import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('restricted tokens on the command line', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let teams = 0;

  const prepare = async () => {
    const { team, admin } = await stage.createTeam(`terminal-${++teams}`);
    const email = admin.user.email ?? '';
    const run = (...args: string[]) => runCommand([...args, '--team', team.id], settingsOf(stage));
    return { run, create: (...options: string[]) => run('token', 'create', email, ...options) };
  };

  test('are created with what they can do, and listed with it', async () => {
    const { run, create } = await prepare();
    const allow = ['--allow', 'github GET,HEAD /repos/** /user', '--allow', 'github@uploads POST'];
    const made = await create('--name', 'agent', '--can', 'status, calls', ...allow, '--minutes', '30', '--json');
    assert.equal(made.code, 0, made.stderr);
    const { token, createdAt, expiresAt } = JSON.parse(made.stdout);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 30 * 60_000);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await stage.server.inject({ url: '/api/calls', headers })).statusCode, 200);
    assert.equal((await stage.server.inject({ url: '/api/reports', headers })).statusCode, 403);

    const { tokens } = JSON.parse((await run('token', 'list', '--json')).stdout);
    const { can, allow: allowed } = tokens.find(({ name }: { name: string }) => name === 'agent');
    assert.deepEqual(can, ['status', 'calls']);
    const anywhere = { provider: 'github', connection: null, account: null };
    assert.deepEqual(allowed, [
      { ...anywhere, host: null, methods: ['GET', 'HEAD'], paths: ['/repos/**', '/user'] },
      { ...anywhere, host: 'uploads', methods: ['POST'], paths: null },
    ]);
    const table = (await run('token', 'list')).stdout;
    assert.match(table, /agent .*status, calls, github GET,HEAD 2 paths, github@uploads POST /);
    assert.match(table, /all of its user/);
  });

  test('ask before they write, as long as they say', async () => {
    const { run, create } = await prepare();
    const made = await create('--name', 'asks', '--allow', 'github', '--ask', '--ask-minutes', '30', '--json');
    assert.equal(made.code, 0, made.stderr);
    const { tokens } = JSON.parse((await run('token', 'list', '--json')).stdout);
    const { writes, approvalMinutes } = tokens.find(({ name }: { name: string }) => name === 'asks');
    assert.deepEqual([writes, approvalMinutes], ['ask', 30]);
    assert.match((await run('token', 'list')).stdout, /asks .*github, asks /);
  });

  test('are refused in one line if the options make no sense', async () => {
    const { create } = await prepare();
    const cases: [options: string[], why: RegExp, code: number][] = [
      [['--can', 'everything'], /^--can has no right "everything"\. There are: status, /, 2],
      [['--allow', 'GET /user'], /^--allow must be <provider>.*"GET" names no provider/, 2],
      [['--allow', 'github get /user'], /^--allow must be <provider>.*"get" is neither a method nor a path/, 2],
      [['--allow', 'github GET user'], /^--allow must be <provider>.*The path "user" has to begin with a slash/, 2],
      [['--minutes', '0'], /^--minutes must be a whole number from 1 to 525600\./, 2],
      [
        ['--allow', 'github', '--ask', '--ask-minutes', '1441'],
        /^--ask-minutes must be a whole number from 1 to 1440\./,
        2,
      ],
      [['--allow', 'github', '--ask-minutes', '5'], /^--ask-minutes needs --ask\./, 2],
      [['--ask'], /^--ask needs --allow\./, 2],
      [['--minutes', '5', '--days', '5'], /days or in minutes, not both/, 2],
      [['--allow', 'nowhere'], /^Unknown provider/, 1],
      [['--allow', 'github GET /a/**/b'], /isn't a pattern for a path/, 2],
      [['--allow', 'github:second'], /^The team isn't connected to this provider/, 1],
    ];
    for (const [options, why, code] of cases) {
      const refused = await create(...options);
      assert.equal(refused.code, code, `${options.join(' ')}: ${refused.stderr}`);
      assert.match(refused.stderr, why, options.join(' '));
      assert.match(refused.stderr, /^[^\n]+\n$/);
    }
  });
});
