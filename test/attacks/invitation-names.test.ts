import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onOneEngine('a team that invites strangers', (engine) => {
  const mail = useStage(() => startMailServer());
  const stage = useStage(() =>
    createTestApp(engine, { env: { SMTP_URL: mail.url, MAIL_FROM: 'Patchbay <pb@example.com>' } }),
  );

  before(async () => {
    await stage.app.jobs.start();
  });

  /** The whole email to someone who was invited by a team with this name. */
  const invite = async (name: string, email: string): Promise<string> => {
    const { team, admin } = await stage.createTeam(email);
    await stage.app.database.run('update teams set name = $1 where id = $2', [name, team.id]);
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/members',
      headers: admin.headers,
      payload: { email: `${email}@example.com` },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const found = () => mail.received.find(({ to }) => to.includes(`${email}@example.com`))?.raw;
    await waitUntil('the letter', () => found() !== undefined);
    return (found() ?? '').replaceAll('=\r\n', '');
  };

  test('gives its name in the email', async () => {
    assert.match(await invite('Acme Inc.', 'one'), /Acme Inc\./);
  });

  for (const [index, name] of ['unlock at evil.test', 'ask boss@evil', 'evil.test/unlock'].entries())
    test(`cannot lead anyone anywhere through its name: ${name}`, async () => {
      assert.doesNotMatch(await invite(name, `victim-${index}`), /evil/);
    });
});
