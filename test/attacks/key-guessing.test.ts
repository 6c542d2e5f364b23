// Attack: have Patchbay find out which of many stolen keys or guessed passwords work. The provider would block it for all teams.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createConnectSession, putCustomer } from '../harness/customers.ts';
import { createBrowser } from '../harness/key-browser.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const OF_A_MEMBER = 20;
const OF_A_TEAM = 60;
const ASKED_OF_A_TEAM = 300;
/** Without any limit, a test must end too. */
const MOST = 400;

describe('whoever tests many keys', () => {
  const stage = useStage(() => openKeysStage('sqlite'));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const guess = (headers: Readonly<Record<string, string>>, api_key = 'a-guess') =>
    stage.put(headers, 'keyed', { fields: { api_key } });

  const guessUntilRefused = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    for (let guesses = 0; guesses < MOST; guesses++) if ((await guess(headers)).status !== 422) return guesses;
    return MOST;
  };

  test('has to wait after a few that were rejected, even for one that works', async () => {
    const { member, admin } = await stage.newTeam();
    assert.equal(await guessUntilRefused(member.headers), OF_A_MEMBER);
    const asked = stage.verifications();
    const refused = await guess(member.headers, stage.newKey());
    assert.deepEqual([refused.status, problemIn(refused)], [429, 'integrations.too_many_keys']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal(stage.verifications(), asked, 'The provider is not asked.');
    assert.equal((await guess(admin.headers, stage.newKey())).status, 200, 'Others of the team can go on.');
    stage.clock.advance(MINUTE_MS);
    assert.equal((await guess(member.headers, stage.newKey())).status, 200);
  });

  test('gets no further with many users of one team, and other teams do not notice', async () => {
    const other = await stage.newTeam();
    await putCustomer(stage, 'guessers');
    let tried = 0;
    for (const user of ['u1', 'u2', 'u3', 'u4'])
      tried += await guessUntilRefused((await createConnectSession(stage, 'guessers', { user })).headers);
    assert.equal(tried, OF_A_TEAM);
    assert.equal((await guess(other.member.headers, stage.newKey())).status, 200);
  });

  test('gets no further on the form, where the page says so, and takes nobody else’s tries', async () => {
    const { member } = await stage.newTeam();
    const begin = async () =>
      JSON.parse((await stage.ask('POST', '/api/integrations/keyed/connect', member.headers, {})).body).connectUrl;
    let page = { status: 0, body: '' };
    for (let link = 0, tried = 0; link < 2; link++) {
      const { submit } = await createBrowser(stage.server).openForm(await begin());
      do page = await submit({ 'fields.api_key': `guess-${tried++}` });
      while (page.status === 422 && tried < MOST);
    }
    assert.equal(page.status, 429);
    assert.match(page.body, /Too many keys were tried/);
    assert.equal(stage.verifications(), OF_A_MEMBER, 'Both links together.');
    assert.equal((await guess(member.headers, stage.newKey())).status, 200);
  });

  test('cannot have a provider asked without end with a key that works either', async () => {
    const { member } = await stage.newTeam();
    const key = stage.newKey();
    let reply = await guess(member.headers, key);
    for (let sent = 1; reply.status === 200 && sent < MOST; sent++) reply = await guess(member.headers, key);
    assert.deepEqual([reply.status, problemIn(reply)], [429, 'integrations.too_many_keys']);
    assert.equal(stage.verifications(), ASKED_OF_A_TEAM);
  });
});
