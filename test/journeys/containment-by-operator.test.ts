import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const PATH = '/settings/containment';
const OF_OPERATOR = 'integrations.containment_of_operator';

type Listed = { id: string; by: string; filters: { team: { id: string } | null } };

onEachEngine('what the operator stops', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const listOwn = async (headers: Record<string, string>): Promise<Listed[]> =>
    (await stage.ask('GET', '/api/containments', headers)).json().containments;

  test('is listed for the team that it is about, as the operator’s', async () => {
    const { team, headers } = await stage.connected();
    const other = await stage.connected();
    const own = await stage.contain(headers, { provider: 'acme-plain' });
    stage.clock.advance(1);
    const id = await stage.contain(OPERATOR, { provider: PROVIDER, team: team.id });
    await stage.contain(OPERATOR, { provider: 'acme-plain' });
    await stage.doDue();
    assert.deepEqual(
      (await listOwn(headers)).map((one) => [one.id, one.by, one.filters.team?.id]),
      [
        [id, 'operator', team.id],
        [own, 'team', team.id],
      ],
    );
    assert.deepEqual(await listOwn(other.headers), [], 'Another team learns nothing.');
    const { connections } = await stage.get(headers, id);
    assert.deepEqual(
      connections.map((one) => [one.team.id, one.provider]),
      [[team.id, PROVIDER]],
    );
    for (const path of [`/api/containments/${id}`, `/api/containments/${id}/exposure.csv`]) {
      assert.equal((await stage.ask('GET', path, headers)).statusCode, 200);
      assert.equal((await stage.ask('GET', path, other.headers)).statusCode, 404);
    }
    const events = await stage.ask('GET', '/api/events?type=containment.started', headers);
    const told = events.json().events.find(({ data }: { data: { id: string } }) => data.id === id);
    assert.ok(told.data.url.endsWith(`/api/containments/${id}`), told.data.url);
  });

  test('is lifted by nobody else', async () => {
    const { team, headers } = await stage.connected();
    const id = await stage.contain(OPERATOR, { provider: PROVIDER, team: team.id });
    const refused = await stage.ask('DELETE', `/api/containments/${id}`, headers);
    assert.deepEqual([refused.statusCode, refused.json().code], [403, OF_OPERATOR]);
    assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
    await stage.lift(OPERATOR, id);
    assert.equal(await stage.proxyProblem(headers), null);
    assert.deepEqual((await stage.get(headers, id)).state, 'lifted');
  });

  test('is on the pages, without a way to lift it', async () => {
    const { team, admin, headers } = await stage.connected();
    const { read, submit } = await stage.browse(admin.user);
    const id = await stage.contain(OPERATOR, { provider: PROVIDER, team: team.id });
    await stage.doDue();
    assert.match(await read(PATH), /Acme in full connections \(by the operator\)/);
    const page = await read(`${PATH}/${id}`);
    assert.match(page, /by the operator, who alone can lift it/);
    assert.doesNotMatch(page, /Lift…/);
    await read(`${PATH}/${id}/lift`, 303);
    const sent = await submit(`${PATH}/${id}/lift`);
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, `${PATH}/${id}`]);
    assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
  });
});
