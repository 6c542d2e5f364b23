import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { type Line, openLine, send, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { watchVerify } from '../harness/watch-verify.ts';

const HELD = 200;
/** Long enough for a database that is another process on a busy machine, which the stopwatch doesn't notice. */
const HELD_WITHIN_MS = 120_000;
/** As many as an account can have. */
const MOST_KEYS = 10;

onOneEngine('releasing held deliveries', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const sender = senderOf('telnyx');

  const setKeys = async ({ account, team }: Line, count: number): Promise<void> => {
    const secrets = Array.from({ length: count }, () => sender.newKey().secret);
    const url = `/api/telephony/accounts/${account.id}`;
    const { headers } = team.admin;
    const changed = await stage.server.inject({ method: 'PATCH', url, headers, payload: { secrets } });
    assert.equal(changed.statusCode, 200, changed.body);
  };

  /** With a key that doesn't fit what is held. */
  const openFull = async (): Promise<Line> => {
    const line = await openLine(stage, sender, { mode: 'observe' });
    await setKeys(line, 1);
    /** Sends again what is refused on a busy machine, as a provider does. */
    const sendStray = async (stray = line.honest(sender.rings(line.accountId, sender.newCallId()))): Promise<void> => {
      const { statusCode } = await send(stage, stray);
      if (statusCode >= 500) await sendStray(stray);
    };
    await Promise.all(Array.from({ length: HELD }, () => sendStray()));
    // They take turns at the account. After two seconds, the sender isn't kept waiting any longer.
    await waitUntil('all are held', async () => (await line.count()).held === HELD, HELD_WITHIN_MS);
    return line;
  };

  const release = async ({ account, team }: Line) => {
    const url = `/api/telephony/accounts/${account.id}/release`;
    return toAnswer(await stage.server.inject({ method: 'POST', url, headers: team.admin.headers }));
  };

  test('leaves turns for others', async (t) => {
    const line = await openFull();
    await setKeys(line, MOST_KEYS);
    const seen = watchVerify(t, stage.app.telephony.providers, sender.provider);
    assert.equal((await release(line)).status, 200);
    assert.equal(seen.total, HELD);
    assert.ok(seen.busiestTurn < HELD / 2, `${seen.busiestTurn} of ${HELD} checked in one turn.`);
  });

  test('happens once at a time for an account', async (t) => {
    const line = await openFull();
    const other = await openFull();
    const seen = watchVerify(t, stage.app.telephony.providers, sender.provider);
    const answers = await Promise.all([release(line), release(line), release(line), release(other)]);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 2);
    for (const answer of refused)
      assert.equal(expectProblem(answer, 409, 'while another runs').code, 'telephony.release_running');
    assert.equal(seen.total, 2 * HELD, 'Nothing was checked twice.');
    assert.equal((await release(line)).status, 200, 'After that, again.');
  });
});
