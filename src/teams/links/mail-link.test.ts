import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Mailer, SendFailure } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { handleMailInvitation } from './mail-invitation.job.ts';
import { quoteName } from './mail-link.ts';
import { handleMailSignInLink } from './mail-sign-in-link.job.ts';

test('an email quotes the team name, unless a mail app would turn it into a link', () => {
  assert.equal(quoteName('Acme'), ' “Acme”');
  assert.equal(quoteName(' Acme\r\n  and\tsons \u202e\u0007'), ' “Acme and sons”');
  assert.equal(quoteName('x'.repeat(200)), ` “${'x'.repeat(60)}”`);
  for (const address of ['Locked: https://evil.example/unlock', 'see WWW.evil.example', 'ht\u200btp://evil.example'])
    assert.equal(quoteName(address), '', address);
});

test('a bare domain, an email address and an IP address become links, too', () => {
  for (const address of [
    'evil.example',
    'Acme (evil.example/unlock)',
    'evil\u200b.\u00adcom',
    'evil.рф',
    'evil\uff0ecom',
    'evil\u3002com',
    'ask boss@evil',
    'boss\uff20evil',
    'see 192.0.2.7/unlock',
  ])
    assert.equal(quoteName(address), '', address);
});

test('a name with a period stays as it is', () => {
  for (const name of ['Acme Inc.', 'St. John', 'J.R. Smith & Co.', 'Version 2.0', 'U.S. Sales', 'wait... what'])
    assert.equal(quoteName(name), ` “${name}”`);
});

type Mail = Parameters<Mailer['send']>[0];

const DAY_MS = 24 * 3_600_000;

onEachEngine('a link that is emailed', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));

  /** A member, and a mail server that responds to every email the same way. */
  const openInbox = async (name: string, failure: SendFailure | null = null) => {
    const { member } = await house.createTeam(name);
    const { teamId, id: userId } = member.user;
    const mails: Mail[] = [];
    const mailer = {
      async send(mail: Mail) {
        mails.push(mail);
        return failure;
      },
    };
    const context = { ...house.app, ...house.config, mailer } as unknown as TeamsContext;
    const links = () => house.app.database.all('select id from sign_in_links where user_id = $1', [userId]);
    return {
      ...{ userId, mails },
      countLinks: async () => (await links()).length,
      ask: () => handleMailSignInLink(context)({ teamId, userId }),
      invite: () => handleMailInvitation(context)({ teamId, userId }),
    };
  };

  test('is not made for an invitation whose receiver has signed in meanwhile', async () => {
    const { userId, mails, countLinks, ask, invite } = await openInbox('quick');
    await invite();
    assert.equal(mails.length, 1);
    await house.app.database.run('update users set signed_in_at = 1 where id = $1', [userId]);
    await invite();
    assert.deepEqual([mails.length, await countLinks()], [1, 1]);
    await ask();
    assert.equal(mails.length, 2);
  });

  test('is one of five that work at most, also of two that are made at the same moment', async () => {
    const { mails, countLinks, ask } = await openInbox('full');
    for (let turn = 0; turn < 4; turn++) await ask();
    await runTogether(house.app.database, 'sign_in_links', [ask, ask]);
    assert.deepEqual([mails.length, await countLinks()], [5, 5]);
    clock.advance(DAY_MS);
    await ask();
    assert.equal(mails.length, 6, 'The others have expired.');
  });

  test('stays good if nobody knows whether the email arrived, and is not sent again', async () => {
    const { countLinks, ask } = await openInbox('unclear', { kind: 'unclear', problem: 'Lost.' });
    await ask();
    assert.equal(await countLinks(), 1);
  });

  test('is gone if the email surely did not arrive, and sent again only if that may help', async () => {
    const refused = await openInbox('refused', { kind: 'refused', problem: 'Never.' });
    await refused.ask();
    assert.equal(await refused.countLinks(), 0);
    const later = await openInbox('later', { kind: 'later', problem: 'Not now.' });
    await assert.rejects(later.ask(), /Not now/);
    assert.equal(await later.countLinks(), 0);
  });
});
