import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { type Fault, sendAnswer } from '../harness/oauth-server/gate.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

/** The provider's own response, with a name chosen by the test. */
const withName =
  (email: string): Fault =>
  async ({ forward, response }) => {
    const { status, headers, body } = await forward();
    const { 'content-length': _, ...others } = headers;
    const changed = { ...JSON.parse(body.toString()), email };
    sendAnswer(response, { status, headers: others, body: Buffer.from(JSON.stringify(changed)) });
  };

onEachEngine('what a provider says about an account', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));

  const labelOf = async (name: string): Promise<string> => {
    const { at } = await stage.newTeam();
    stage.oauth.fail('userinfo', withName(name));
    const answer = await at.tryConnect(PROVIDER, stage.newAccount());
    assert.equal(answer.status, 200, answer.body);
    return JSON.parse(answer.body).account.label;
  };

  test('is stored and shown without anything that would break a row, a page or the text direction', async () => {
    assert.equal(await labelOf('a\u0000b'), 'ab');
    assert.equal(await labelOf('\u202egpj.exe\u0007\u001b[31m<b>\n'), 'gpj.exe[31m<b>');
  });

  test('is cut between characters, not within one', async () => {
    const label = await labelOf(`${'x'.repeat(199)}😀😀`);
    assert.equal(label, `${'x'.repeat(199)}😀`);
  });

  test('in an error names nobody: the account stays unknown, and no grant is ended for it', async () => {
    const { at, team } = await stage.newTeam();
    const account = stage.newAccount();
    await at.connect(PROVIDER, account);
    stage.oauth.fail('userinfo', ({ response }) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"sub":"service_unavailable"}');
    });
    const answer = await at.tryConnect(PROVIDER, account);
    assert.deepEqual(JSON.parse(answer.body).account, { id: null, label: null });
    const waiting = await stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    assert.equal(waiting.length, 0);
  });
});
