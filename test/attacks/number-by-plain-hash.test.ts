import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { plivo } from '../../src/telephony/providers/plivo/index.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openLine, send, senderOf } from '../harness/telephony-senders.ts';
import { COLLEAGUE, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a number that a call is forwarded to', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const openForwarded = async () => {
    const sender = senderOf('plivo');
    const line = await openLine(stage, sender, { answer: { forwardTo: [COLLEAGUE] } });
    const callId = sender.newCallId();
    await send(stage, line.honest(sender.rings(line.accountId, callId)));
    const fields = {
      ParentAuthID: line.accountId,
      CallUUID: callId,
      DialALegUUID: callId,
      DialAction: 'hangup',
      DialBLegTo: COLLEAGUE,
      DialBLegHangupCause: 'NO_ANSWER',
    };
    const hangUp = () => send(stage, line.honest({ route: 'voice', step: 'status', fields }));
    const teamId = line.team.admin.user.teamId;
    const list = <Row extends object>(selected: string) =>
      stage.app.database.all<Row>(`select ${selected} where team_id = $1`, [teamId]);
    return { hangUp, list, teamId };
  };

  test('is in no key of an event, not even as a hash', async () => {
    const { hangUp, list } = await openForwarded();
    assert.equal((await hangUp()).statusCode, 200);
    await stage.app.telephony.settle();
    const keys = (await list<{ event_key: string }>('event_key from call_events')).map((row) => row.event_key);
    assert.ok(keys.some((key) => key.includes(' leg ')));
    for (const number of [COLLEAGUE, COLLEAGUE.slice(1)])
      for (const guess of [number, hash('sha256', number, 'hex')])
        assert.deepEqual(
          keys.filter((key) => key.includes(guess)),
          [],
        );
  });

  type Row = { id: string; account_id: string; payload: string };

  /** What somebody who has the database would compute for the right guess. */
  const digestOf = async (teamId: string, { id, account_id, payload }: Row): Promise<string> => {
    const place = { record: `deliveries/${id}`, field: 'payload' };
    const opened = await stage.app.vault.open(teamId, place, payload);
    const [method, target, headers, , text] = JSON.parse(opened.reveal());
    const key = plivo.keyOf({ route: 'voice', method, target, headers, body: Buffer.from(text) });
    return hash('sha256', `${account_id} ${key}`, 'base64url');
  };

  test('can’t be guessed from the id of a delivery, which still recognizes a repetition', async () => {
    const { hangUp, list, teamId } = await openForwarded();
    await hangUp();
    await hangUp();
    await stage.app.telephony.settle();
    const rows = await list<Row>('id, account_id, payload from deliveries');
    assert.equal(rows.length, 2);
    for (const row of rows) assert.notEqual(row.id, await digestOf(teamId, row));
  });

  test('can’t be guessed from an id from before that either, once the payload is erased', async () => {
    const { hangUp, list, teamId } = await openForwarded();
    const { database, telephony } = stage.app;
    await hangUp();
    await telephony.settle();
    // As it was then: without the time.
    await database.run('update calls set told_by = substr(told_by, 1, 2) || substr(told_by, 20)');
    const listNames = async () => ({
      deliveries: (await list<{ name: string }>('id as name from deliveries')).map(({ name }) => name).sort(),
      others: [
        ...(await list<{ name: string }>('delivery_id as name from call_events')),
        ...(await list<{ name: string }>('substr(told_by, 3) as name from calls')),
      ]
        .map(({ name }) => name)
        .sort(),
    });
    const before = await listNames();
    assert.ok(before.others.length > 1);
    const rows = await list<Row>('id, account_id, payload from deliveries');
    for (const row of rows) {
      const digest = await digestOf(teamId, row);
      await database.run('update deliveries set id = $1, payload = null where id = $2', [digest, row.id]);
      await database.run('update call_events set delivery_id = $1 where delivery_id = $2', [digest, row.id]);
      await database.run("update calls set told_by = '0 ' || $1 where told_by = '0 ' || $2", [digest, row.id]);
    }
    const prune = handlePruneTelephony(telephony.context);
    await prune({}, { signal: new AbortController().signal });
    assert.deepEqual(await listNames(), before);
    await hangUp();
    await telephony.settle();
    assert.equal((await list('id from deliveries')).length, 2, 'A repetition is still recognized.');
  });
});
