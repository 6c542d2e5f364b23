import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openRequestLog } from '../harness/request-log.ts';
import { useStage } from '../harness/use-stage.ts';

const API = '/api/integrations/requests';
const PROVIDER = 'acme-full';
const NOBODYS = '01900000-0000-7000-8000-000000000000';
/** How many requests the owner has made. */
const NUMBER = 3;

onOneEngine("what another team's credentials were used for", (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  let owner: Awaited<ReturnType<typeof openRequestLog>>;
  let other: typeof owner;
  const ids: string[] = [];
  let cursor = '';

  before(async () => {
    owner = await openRequestLog(stage, 'of-the-owner');
    other = await openRequestLog(stage);
    for (let index = 0; index < NUMBER; index++) ids.push(await owner.send(`owned/${index}`));
    await other.at.token(PROVIDER);
    const first = await stage.server.inject({ url: `${API}?limit=1`, headers: owner.headers });
    cursor = first.json().nextCursor;
    assert.ok(cursor);
  });

  const GIVEAWAY = /owned|of-the-owner/;

  /** Lists what the other team finds. Returns the paths of what was requested. */
  const list = async (query: string): Promise<(string | null)[]> => {
    const answer = await stage.server.inject({ url: `${API}?limit=100${query}`, headers: other.headers });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.doesNotMatch(answer.body, GIVEAWAY);
    return answer.json().requests.map(({ path }: { path: string | null }) => path);
  };

  test('is in none of its lists, whatever they are filtered by, and wherever a cursor leads', async () => {
    assert.deepEqual(await list(''), [null], 'Only its own hand-out.');
    for (const query of [
      `&provider=${PROVIDER}&connection=of-the-owner`,
      `&token=${await owner.tokenId()}`,
      `&token=user:${owner.admin.user.id}`,
      `&provider=${PROVIDER}&since=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z&failed=1`,
    ])
      assert.deepEqual(await list(query), [], query);
    for (const id of [Buffer.from(cursor, 'base64url').toString(), ...ids])
      for (const path of await list(`&cursor=${Buffer.from(id).toString('base64url')}`)) assert.equal(path, null, id);
  });

  test('is on none of its pages, nor is anybody named there', async () => {
    const { email } = owner.admin.user;
    for (const query of [
      '',
      `?provider=${PROVIDER}`,
      `?by=${await owner.tokenId()}`,
      `?by=user:${owner.admin.user.id}`,
      `?provider=${PROVIDER}&by=user:${owner.admin.user.id}`,
      `?provider=${PROVIDER}&cursor=${cursor}`,
    ]) {
      const { statusCode, body } = await other.visit(`/requests${query}`);
      assert.equal(statusCode, 200, query);
      assert.doesNotMatch(body, GIVEAWAY, query);
      assert.ok(!body.includes(email ?? 'nobody'), query);
    }
    const { body } = await other.visit(`/requests?provider=${PROVIDER}&connection=of-the-owner`);
    assert.doesNotMatch(body, /owned|<table/);
  });

  test('has no page by its ID, and what the response says is the same as for an unknown one', async () => {
    const strip = (body: string): string => body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '');
    const unknown = await other.visit(`/requests/${NOBODYS}`);
    assert.equal(unknown.statusCode, 404);
    for (const id of ids) {
      assert.equal((await owner.visit(`/requests/${id}`)).statusCode, 200);
      const { statusCode, body } = await other.visit(`/requests/${id}`);
      assert.equal(statusCode, 404);
      assert.equal(strip(body), strip(unknown.body));
    }
  });

  test('is not listed for the operator who acts for a third team', async () => {
    await putCustomer(stage, 'third');
    const { headers } = asCustomer('third');
    const answer = await stage.server.inject({ url: `${API}?token=${await owner.tokenId()}`, headers });
    assert.deepEqual(answer.json(), { requests: [], nextCursor: null });
  });
});
