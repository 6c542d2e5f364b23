import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderMail } from '../../src/reports/rendering/render-mail.ts';
import { renderSlack } from '../../src/reports/rendering/render-slack.ts';
import { sectionsOf } from '../../src/reports/rendering/sections.ts';
import { openAlertStage } from '../harness/alert-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { empty, full, viewOf } from '../harness/report-figures.ts';
import { useStage } from '../harness/use-stage.ts';

const links = { report: 'https://pb.test/reports/2026-W46', unsubscribe: 'https://pb.test/stop' };

describe('the weekly report, which anyone may be sent', () => {
  const [integration] = full.integrations;
  const problem = 'The provider refused it. The error code was "sign-in.evil.test".';
  const calm = { troubleSince: null, reconnectBefore: null, refreshFailures: 0 };
  const figures = {
    ...empty,
    integrations: integration ? [{ ...integration, ...calm, problem }] : [],
    numbers: [
      { hash: null, number: '+4940111', label: 'Locked! Unlock at evil.test', calls: 1, answered: 0, missed: 1 },
    ],
  };
  const report = { ...viewOf(figures), team: 'Your account is locked: https://evil.test/unlock' };
  const mail = renderMail(report, links);

  // A channel is the team's own, and Slack turns no name into a link.
  const slack = JSON.stringify(renderSlack({ ...report, team: 'Acme' }, links));

  for (const [form, text] of Object.entries({ ...mail, slack }))
    test(`leads nowhere through a name, a label, or an error code: ${form}`, () => assert.doesNotMatch(text, /evil/));

  test('still has the rows, and the page has the words', () => {
    assert.match(mail.text, /040 111/);
    assert.match(mail.text, /The provider refused it\./);
    const onPage = JSON.stringify(sectionsOf(report, 'h23'));
    assert.match(onPage, /Unlock at evil\.test/);
    assert.match(onPage, /sign-in\.evil\.test/);
  });
});

onOneEngine('mail about a request that waits for an approval', (engine) => {
  const stage = useStage(() => openAlertStage(engine));

  test('leads nowhere through the path, which the token has chosen, or through the name of the token', async () => {
    const team = await stage.newTeam();
    await team.useSlack();
    const asked = { provider: 'gitlab', name: 'GitLab', method: 'POST', requestedAt: null, expiresAt: null };
    for (const [subject, path, name] of [
      ['a1', '/x/https://evil.test/unlock', 'Helper'],
      ['a2', '/evil.test/unlock', 'Helper'],
      ['a3', '/contacts', 'Locked! Unlock at evil.test'],
    ] as const)
      await team.happen('approval.requested', subject, { ...asked, path, token: { id: 't', name }, account: null });
    await stage.tell();
    const [mail = ''] = team.mails();
    assert.match(mail, /Helper asks to send a request to GitLab/);
    assert.match(mail, /A token asks to send a request to GitLab: POST \/contacts/);
    assert.doesNotMatch(mail, /evil/);
    assert.doesNotMatch(JSON.stringify(team.posts()), /evil/);
  });
});
