import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { type Line, openLine, SENDERS, type Sender, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, type TelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const OURS = { answer: { greeting: 'Welcome.' } };
/** Of the accounts that a delivery names, the first fifty are tried. */
const MORE_THAN_TRIED = 51;
const THEIRS = { answer: { greeting: 'Taken over.' } };

/** The account that the payload names: that of Vonage is in the token, and always the same here. */
const payloadIdOf = (sender: Sender): string => (sender.provider === 'vonage' ? 'a1b2c3d4' : sender.newAccountId());

onOneEngine('a delivery that another team wants', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** To the address without our account's id. */
  const bare = ({ sender, accountId, print, sign, key }: Line, by = key) => {
    const callId = sender.newCallId();
    return sign({ ...print(sender.rings(accountId, callId)), target: VOICE }, {}, by);
  };

  const sendTo = ({ sender, accountId, honest }: Line) =>
    send(stage, honest(sender.rings(accountId, sender.newCallId())));

  const expectNothingOf = async (line: Line) =>
    assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });

  const change = async (line: Line, payload: object) => {
    const url = `/api/telephony/accounts/${line.account.id}`;
    const answer = await stage.server.inject({ method: 'PATCH', url, headers: line.team.admin.headers, payload });
    assert.equal(answer.statusCode, 200, answer.body);
  };

  const expectAmbiguous = async (sent: ReturnType<typeof bare>, what: string) => {
    const answer = await send(stage, sent);
    assert.doesNotMatch(answer.body, /Taken over/, what);
    assert.equal(answer.statusCode, 403, `${what}: ${answer.body}`);
    assert.equal(answer.json().code, 'telephony.account_ambiguous', what);
    assert.match(answer.json().detail, /\?account=/, what);
  };

  const telnyx = senderOf('telnyx');

  test('with a public key both teams entered is answered only at the address that names the account', async () => {
    for (const order of ['ours first', 'theirs first']) {
      const key = telnyx.newKey();
      const accountId = telnyx.newAccountId();
      const theirsFirst = order === 'theirs first' && (await openLine(stage, telnyx, { ...THEIRS, accountId, key }));
      const ours = await openLine(stage, telnyx, { ...OURS, accountId, key });
      const theirs = theirsFirst || (await openLine(stage, telnyx, { ...THEIRS, accountId, key }));
      await expectAmbiguous(bare(ours), order);
      // The account that was changed last used to come last.
      for (const line of [theirs, ours]) {
        await change(line, { mode: 'observe' });
        await change(line, { mode: 'enforce' });
        await expectAmbiguous(bare(ours), order);
      }
      const answer = await sendTo(ours);
      assert.match(answer.body, /Welcome/);
      await expectNothingOf(theirs);
      assert.equal((await ours.count()).calls, 1);
    }
  });

  test('with a public key cannot be obtained by entering the key alone', async () => {
    const ours = await openLine(stage, telnyx, OURS);
    assert.match((await send(stage, bare(ours))).body, /Welcome/, 'Nobody else has the key yet.');
    const theirs = await openLine(stage, telnyx, { ...THEIRS, key: ours.key });
    await expectAmbiguous(bare(ours), 'the same key, another account id');
    await change(theirs, { accountId: null });
    await expectAmbiguous(bare(ours), 'the same key, no account id');
    await expectNothingOf(theirs);
    await change(theirs, { secrets: [telnyx.newKey().secret] });
    assert.match((await send(stage, bare(ours))).body, /Welcome/, 'The key is nobody else’s any more.');
  });

  test('after one of two accounts with the same name was removed goes only to the other', async () => {
    const twilio = senderOf('twilio');
    const accountId = twilio.newAccountId();
    const ours = await openLine(stage, twilio, { ...OURS, accountId });
    const removed = await openLine(stage, twilio, { ...THEIRS, accountId });
    assert.match((await send(stage, bare(removed))).body, /Taken over/);
    const url = `/api/telephony/accounts/${removed.account.id}`;
    await stage.server.inject({ method: 'DELETE', url, headers: removed.team.admin.headers });
    assert.equal((await send(stage, bare(removed))).statusCode, 403);
    assert.match((await send(stage, bare(ours))).body, /Welcome/);
  });

  test('with a public key its owner has not entered yet goes to nobody', async () => {
    const ours = await openLine(stage, telnyx, OURS);
    const rotated = telnyx.newKey();
    const theirs = await openLine(stage, telnyx, { ...THEIRS, accountId: ours.accountId, key: rotated });
    await expectAmbiguous(bare(ours, rotated), 'a key that only the other team has');
    await expectNothingOf(theirs);
    await expectAmbiguous(bare(ours), 'an account that the other team names, too');
    assert.match((await sendTo(ours)).body, /Welcome/);
  });

  for (const sender of SENDERS.filter(({ provider }) => provider !== 'telnyx'))
    test(`from ${sender.provider} belongs to its owner, even if the other team named the account first`, async () => {
      const accountId = payloadIdOf(sender);
      const theirs = await openLine(stage, sender, { ...THEIRS, accountId });
      const ours = await openLine(stage, sender, { ...OURS, accountId });
      assert.match((await send(stage, bare(ours))).body, /Welcome/);
      assert.match((await sendTo(ours)).body, /Welcome/);
      await expectNothingOf(theirs);
    });

  test('and that is held by them is not released to them once its owner is here, too', async () => {
    const alone = await openTelephonyStage(engine);
    try {
      const key = telnyx.newKey();
      const accountId = telnyx.newAccountId();
      const theirs = await openLine(alone, telnyx, { ...THEIRS, mode: 'observe' });
      const sent = theirs.sign(
        { ...theirs.print(telnyx.rings(accountId, telnyx.newCallId())), target: VOICE },
        {},
        key,
      );
      await send(alone, sent);
      assert.equal((await theirs.count()).held, 1, 'Nobody else has an account there, so it is kept for them.');
      await openLine(alone, telnyx, { ...OURS, accountId, key });
      const url = `/api/telephony/accounts/${theirs.account.id}`;
      const { headers } = theirs.team.admin;
      await alone.server.inject({ method: 'PATCH', url, headers, payload: { secrets: [key.secret] } });
      const released = await alone.server.inject({ method: 'POST', url: `${url}/release`, headers });
      assert.deepEqual(released.json(), { released: 0, held: 1 });
    } finally {
      await alone.close();
    }
  });

  test('goes to its owner, even if the account was last looked for before the owner was here', async () => {
    const sender = senderOf('twilio');
    const theirs = await openLine(stage, sender, THEIRS);
    assert.equal((await send(stage, bare(theirs, sender.newKey()))).statusCode, 403);
    const ours = await openLine(stage, sender, { ...OURS, accountId: theirs.accountId });
    assert.match((await send(stage, bare(ours))).body, /Welcome/);
    await expectNothingOf(theirs);
  });

  test('still goes to its owner if more accounts have its name than are tried', async () => {
    const sender = senderOf('twilio');
    const ours = await openLine(stage, sender, OURS);
    // Ids are ordered by when they were made.
    stage.clock.advance(1_000);
    for (let team = 0; team < MORE_THAN_TRIED; team++) {
      const { admin } = await stage.createTeam(`many-${team}-${stage.app.newId().slice(-8)}`);
      const payload = { provider: sender.provider, accountId: ours.accountId, secrets: [sender.newKey().secret] };
      const asked = { method: 'POST', url: '/api/telephony/accounts', headers: admin.headers, payload } as const;
      assert.equal((await stage.server.inject(asked)).statusCode, 201);
    }
    await change(ours, { removesArchived: true });
    assert.match((await send(stage, bare(ours))).body, /Welcome/);
  });

  test('with a secret two teams share goes to neither without the address that names the account', async () => {
    const sender = senderOf('twilio');
    const ours = await openLine(stage, sender, OURS);
    const theirs = await openLine(stage, sender, { ...THEIRS, accountId: ours.accountId, key: ours.key });
    await expectAmbiguous(bare(ours), 'both have the secret');
    assert.match((await sendTo(ours)).body, /Welcome/);
    await expectNothingOf(theirs);
  });
});

onOneEngine('a delivery for an account whose id was not entered', (engine) => {
  const openOwner = async (stage: TelephonyStage, sender: Sender) => {
    const ours = await openLine(stage, sender, { ...OURS, accountId: payloadIdOf(sender) });
    const url = `/api/telephony/accounts/${ours.account.id}`;
    const { headers } = ours.team.admin;
    await stage.server.inject({ method: 'PATCH', url, headers, payload: { accountId: null } });
    return ours;
  };

  for (const sender of SENDERS)
    test(`from ${sender.provider} is neither answered nor held nor seen by a team that names it and observes`, async () => {
      const stage = await openTelephonyStage(engine);
      try {
        const ours = await openOwner(stage, sender);
        const print = () => ({ ...ours.print(sender.rings(ours.accountId, sender.newCallId())), target: VOICE });
        assert.match((await send(stage, ours.sign(print()))).body, /Welcome/, 'It is the only account.');
        const accountId = ours.accountId;
        const theirs = await openLine(stage, sender, { ...THEIRS, accountId, mode: 'observe' });
        const answer = await send(stage, ours.sign(print()));
        assert.doesNotMatch(answer.body, /Taken over/);
        // A public key proves nothing, so there the delivery goes to nobody.
        if (sender.provider === 'telnyx') assert.equal(answer.statusCode, sender.refusal);
        else assert.match(answer.body, /Welcome/);
        assert.deepEqual(await theirs.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
        assert.deepEqual((await theirs.read()).refusals, [], 'It does not learn that there was a call.');
        const named = await send(stage, ours.honest(sender.rings(ours.accountId, sender.newCallId())));
        assert.match(named.body, /Welcome/);
      } finally {
        await stage.close();
      }
    });
});
