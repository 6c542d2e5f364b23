import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure, toFailure } from '../../src/integrations/catalogue/provider-failure.ts';
import { leadsSomewhere } from '../../src/mail/index.ts';
import { openAlertStage } from '../harness/alert-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const CODE = 'sign-in.evil.com';

onOneEngine('an error code that looks like a domain', (engine) => {
  const stage = useStage(() => openAlertStage(engine));

  test('is no link in what admins are told about a connection', async () => {
    const failure = toFailure({ status: 400, code: CODE, body: { error: CODE } });
    const team = await stage.newTeam();
    await team.useSlack();
    await team.happen('connection.needs_reconnect', 'c1', {
      ...{ provider: 'gitlab', name: 'GitLab', account: { id: 'a', label: CODE } },
      lastError: describeFailure(failure),
    });
    await stage.tell();
    const [mail = ''] = team.mails();
    assert.match(mail, /GitLab needs to be reconnected/, 'The label was left out, and the mail was sent.');
    assert.ok(leadsSomewhere(CODE));
    assert.doesNotMatch(mail, /evil\.com/);
    assert.doesNotMatch(JSON.stringify(team.posts()), /evil\.com/);
  });
});
