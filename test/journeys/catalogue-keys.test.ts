import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KeyRecord, listKeyFields } from '../../src/integrations/catalogue/key-record.ts';
import type { Person } from '../harness/app.ts';
import { cookiesOf, inGroups, openCatalogueStage, readKeyEntries } from '../harness/catalogue-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const records = readKeyEntries();

/** A person can try 20 keys that aren't accepted, and each entry is tried with one. */
const MOST_IN_A_TEAM = 15;
const HOUR_MS = 3_600_000;

describe('every provider in the catalog that is connected with a key', () => {
  const counts = { connected: 0, refused: 0, proxied: 0, renewed: 0 };
  const stage = useStage(() => openCatalogueStage([], records));
  const simulator = prepare(async () => stage.simulator);

  const putKey = (record: KeyRecord, { headers }: Person, fields: Readonly<Record<string, string>>) =>
    stage.server.inject({
      method: 'PUT',
      url: `/api/integrations/${record.id}/key`,
      headers,
      payload: { fields, params: stage.keys.get(record.id)?.params },
    });

  /** What isn't secret may be in the address, so it stays. */
  const withWrongSecrets = (record: KeyRecord, fields: Readonly<Record<string, string>>) => {
    const shown = listKeyFields(record).filter(([, { secret }]) => secret === false);
    const kept = new Set<string>(shown.map(([name]) => name));
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, kept.has(name) ? value : 'wrong']));
  };

  /** Follows the link of a Connect button, and submits the form with what it asks for. */
  const submitForm = async (record: KeyRecord, { headers }: Person, fields: Readonly<Record<string, string>>) => {
    const begun = await stage.server.inject({ url: `/api/integrations/${record.id}/connect`, headers });
    assert.equal(begun.statusCode, 302, begun.body);
    const { pathname, search } = new URL(String(begun.headers.location));
    const cookie = cookiesOf(begun.headers['set-cookie']);
    const url = `${pathname}${search}`;
    const form = await stage.server.inject({ url, headers: { cookie } });
    const asked = [...form.body.matchAll(/<input id="(\w+)\.(\w+)"/g)].map(([, group, name]) => `${group}.${name}`);
    const params = Object.entries(stage.keys.get(record.id)?.params ?? {}).map(([name, value]) => [
      `params.${name}`,
      value,
    ]);
    const entered = [...params, ...Object.entries(fields).map(([name, value]) => [`fields.${name}`, value])];
    assert.deepEqual(asked.sort(), entered.map(([name]) => name).sort(), 'what the form asks for');
    const sent = { cookie, 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost:3000' };
    const payload = new URLSearchParams(Object.fromEntries(entered)).toString();
    return stage.server.inject({ method: 'POST', url, headers: sent, payload });
  };

  const statusesOf = ({ id }: KeyRecord, kind: 'token' | 'verify') =>
    simulator.requestsOf(id, kind).map((request) => request.status);

  /** Once the token that came for client credentials has expired, the next request has a new one. */
  const renew = async (record: KeyRecord, admin: Person): Promise<void> => {
    const [refused = 0, ...issued] = statusesOf(record, 'token');
    assert.ok(refused >= 400 && refused < 500);
    assert.deepEqual(issued, [200], 'while connecting');
    stage.clock.advance(2 * HOUR_MS);
    assert.equal(await stage.verify(record, admin), 200, 'with a new token');
    assert.deepEqual(statusesOf(record, 'token').slice(1), [200, 200]);
    assert.deepEqual(statusesOf(record, 'verify').slice(-2), [200, 200]);
    counts.renewed++;
  };

  type Team = Awaited<ReturnType<typeof stage.createTeam>>;

  const live = async (record: KeyRecord, { admin, member }: Team): Promise<void> => {
    const key = stage.keys.get(record.id);
    assert.ok(key);
    const wrong = await putKey(record, member, withWrongSecrets(record, key.fields));
    assert.equal(wrong.statusCode, 422, wrong.body);
    counts.refused++;
    const submitted = await submitForm(record, member, key.fields);
    assert.equal(submitted.statusCode, 200, submitted.body);
    counts.connected++;
    const { status, account } = await stage.status(record, member);
    assert.equal(status, 'connected');
    assert.deepEqual(account, record.identity ? key.account : { id: null, label: null });
    assert.equal(await stage.verify(record, admin), 200, 'the status of the request through the proxy');
    if (key.client) await renew(record, admin);
    else assert.deepEqual(statusesOf(record, 'verify'), [401, 200, 200], 'refused, connected, and through the proxy');
    counts.proxied++;
    const { body } = await stage.ask(member, 'POST', `${record.id}/disconnect`);
    assert.equal(body.revocation, 'unsupported');
    assert.deepEqual(simulator.strays, []);
  };

  for (const together of inGroups(records, MOST_IN_A_TEAM)) {
    const range = `${together.at(0)?.id} to ${together.at(-1)?.id}`;
    test(`${range}: a wrong key is refused, and the right one works`, async () => {
      const team = await stage.createTeam(range);
      const failed: string[] = [];
      for (const record of together) {
        await live(record, team).catch((error: unknown) => {
          const what = error instanceof Error ? error.message : String(error);
          failed.push(`${record.id}: ${what}\n${simulator.explain(record.id)}`);
        });
        simulator.strays.length = 0;
      }
      assert.ok(failed.length === 0, failed.join('\n\n'));
    });
  }

  test('none was left out', (context) => {
    const { connected, refused, proxied, renewed } = counts;
    const clients = records.filter(({ kind }) => kind === 'client_credentials').length;
    context.diagnostic(`${connected} entries connected with the form for a key, ${refused} wrong keys refused`);
    context.diagnostic(`${proxied} requests played through the proxy, ${renewed} again with a renewed token`);
    const each = records.length;
    assert.deepEqual(counts, { connected: each, refused: each, proxied: each, renewed: clients });
  });
});
