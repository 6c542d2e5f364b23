import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openLine, SENDERS, type Sender, send } from '../harness/telephony-senders.ts';
import { openTelephonyStage, type TelephonyStage, VOICE } from '../harness/telephony-stage.ts';

const MANY = 25;

onOneEngine('an account without an id', (engine) => {
  const addUnnamed = async (stage: TelephonyStage, sender: Sender, headers: Record<string, string>) => {
    const key = sender.newKey();
    const made = await stage.server.inject({
      ...{ method: 'POST', url: '/api/telephony/accounts', headers },
      payload: { provider: sender.provider, secrets: [key.secret] },
    });
    assert.equal(made.statusCode, 201, made.body);
    return key;
  };

  for (const sender of SENDERS)
    test(`at ${sender.provider} keeps its deliveries, however many accounts another team adds, until it is removed`, async () => {
      const stage = await openTelephonyStage(engine);
      try {
        const ours = await openLine(stage, sender);
        const url = `/api/telephony/accounts/${ours.account.id}`;
        const change = (payload: object) =>
          stage.server.inject({ method: 'PATCH', url, headers: ours.team.admin.headers, payload });
        await change({ accountId: null });
        const deliver = async (key = ours.key) => {
          const rings = ours.print(sender.rings(ours.accountId, sender.newCallId()));
          return send(stage, ours.sign({ ...rings, target: VOICE }, {}, key));
        };
        assert.match((await deliver()).body, /Welcome/, 'It is the only account.');

        // Ids are ordered by when they were made.
        stage.clock.advance(1_000);
        const theirs = await stage.createTeam('theirs');
        await addUnnamed(stage, sender, theirs.admin.headers);
        // Anyone can enter a public key, so it isn't tried on accounts that nothing points to.
        const isPublic = sender.provider === 'telnyx';
        const isOurs = async () => {
          const { statusCode, body } = await deliver();
          if (isPublic) assert.equal(statusCode, sender.refusal, body);
          else assert.match(body, /Welcome/);
        };
        await isOurs();
        const added = await addUnnamed(stage, sender, theirs.admin.headers);
        assert.equal(
          (await deliver(added)).statusCode,
          isPublic ? sender.refusal : 200,
          'The new one is known at once.',
        );
        for (let left = MANY; left > 0; left--) await addUnnamed(stage, sender, theirs.admin.headers);
        await change({ removesArchived: true });
        await isOurs();
        const removed = await stage.server.inject({ method: 'DELETE', url, headers: ours.team.admin.headers });
        assert.equal(removed.statusCode, 204, removed.body);
        assert.equal((await deliver()).statusCode, sender.refusal, 'It was removed.');
      } finally {
        await stage.close();
      }
    });
});
