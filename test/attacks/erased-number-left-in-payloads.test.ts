import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { onEachEngine } from '../harness/databases.ts';
import {
  COLLEAGUE,
  newCallSid,
  OUR_NUMBER,
  openTelephonyStage,
  SERVICE_URL,
  VOICE,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PERSON = '+4915112345678';
const OTHER = '+4915187654321';
const SECRET = 'PSK_0123456789abcdef';

onEachEngine('erasing a number', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;

  const ask = async ({ admin }: Team, path: string, payload: object) =>
    (
      await stage.server.inject({ method: 'POST', url: `/api/telephony/${path}`, headers: admin.headers, payload })
    ).json();

  test('erases what was said about dialed legs, and leaves what was said about others', async () => {
    const team = await stage.newTeam();
    const accountId = randomUUID();
    const { id } = await ask(team, 'accounts', { provider: 'signalwire', accountId, secrets: [SECRET] });
    const answer = { forwardTo: [COLLEAGUE], screen: true };
    await ask(team, 'numbers', { number: OUR_NUMBER, account: id, answer });
    const post = async (query: string, said: Record<string, string>) => {
      const params = { AccountSid: accountId, CallSid: randomUUID(), ...said };
      const address = `${SERVICE_URL}${VOICE}?account=${id}${query}`;
      const answered = await stage.server.inject({
        method: 'POST',
        url: address.slice(SERVICE_URL.length),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-signalwire-signature': getExpectedTwilioSignature(SECRET, address, params),
        },
        payload: new URLSearchParams(params).toString(),
      });
      assert.equal(answered.statusCode, 200);
    };
    for (const From of [PERSON, OTHER]) {
      await post('', { From, To: OUR_NUMBER, Direction: 'inbound', CallStatus: 'ringing' });
      await post('&step=screen', { From, To: COLLEAGUE, Direction: 'outbound-dial', CallStatus: 'in-progress' });
    }
    await stage.app.telephony.settle();
    assert.equal((await ask(team, 'erase', { number: PERSON })).calls, 1);
    const rows = await stage.app.database.all<{ id: string; payload: string }>(
      'select id, payload from deliveries where account_id = $1 and payload is not null',
      [id],
    );
    const open = async (row: { id: string; payload: string }) =>
      stage.app.vault.open(team.team.id, { record: `deliveries/${row.id}`, field: 'payload' }, row.payload);
    const left = (await Promise.all(rows.map(open))).map((text) => text.reveal());
    const countOf = (number: string) => left.filter((text) => text.includes(number.slice(1))).length;
    assert.deepEqual([countOf(PERSON), countOf(OTHER)], [0, 2]);
  });

  for (const from of ['0301234567', '22333'])
    test(`is possible for a caller like ${from}`, async () => {
      const team = await stage.newTeam();
      await team.line.rings(newCallSid(), { From: from });
      await team.line.rings(newCallSid(), { From: `${from}9` });
      await stage.app.telephony.settle();
      assert.equal((await ask(team, 'erase', { number: from })).calls, 1);
      assert.equal((await team.calls()).length, 1);
    });
});
