import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const PROXY = '10.0.0.1';
const FLOOD = 900;
const LIMIT = 600;

onOneEngine('a stranger behind a trusted proxy', (engine) => {
  const house = useStage(() =>
    createTestApp(engine, {
      clock: createTestClock(),
      env: { PATCHBAY_TRUSTED_PROXIES: '10.0.0.0/8', PATCHBAY_RATE_LIMIT: String(LIMIT) },
    }),
  );
  let hosts = 0;

  const newHost = (): string => `203.0.113.${++hosts}`;
  const ask = async (forwardedFor: string, remoteAddress = PROXY): Promise<number> =>
    (await house.server.inject({ url: '/healthz', remoteAddress, headers: { 'x-forwarded-for': forwardedFor } }))
      .statusCode;
  const countAnswered = async (forwardedFor: (index: number) => string): Promise<number> => {
    let answered = 0;
    for (let index = 0; index < FLOOD; index++) if ((await ask(forwardedFor(index))) === 200) answered++;
    return answered;
  };

  test('is one caller whatever the port', async () => {
    const host = newHost();
    assert.equal(await countAnswered((index) => `${host}:${1_024 + index}`), LIMIT);
    assert.equal(await ask(host), 429, 'Without a port it is the same caller.');
    assert.equal(await ask(newHost()), 200, 'Somebody else is not.');
  });

  test('is one caller over IPv6 too, with brackets, ports and zones', async () => {
    const forms = (index: number) => [
      `[2001:db8:7::1]:${index + 1}`,
      `[2001:db8:7::${index}]`,
      `2001:db8:7::1%eth${index}`,
    ];
    assert.equal(await countAnswered((index) => forms(index)[index % 3] ?? ''), LIMIT);
  });

  test('gains nothing from text that is not an address', async () => {
    const texts = (index: number) => [
      `unknown-${index}`,
      `_${index}`,
      `1.2.3.4.5:${index}`,
      `${index}`,
      `0x7f.${index}`,
    ];
    assert.equal(await countAnswered((index) => texts(index)[index % 5] ?? ''), LIMIT);
  });

  test('is found behind two proxies, even if one of them adds its port', async () => {
    const [one, other] = [newHost(), newHost()];
    assert.equal(await countAnswered((index) => `${one}:${1_024 + index}, 10.0.0.2:${2_048 + index}`), LIMIT);
    assert.equal(await ask(`${one}, 10.0.0.2:443`), 429);
    assert.equal(await ask(`${other}, 10.0.0.2:443`), 200, 'The inner proxy is not taken for the caller.');
  });

  test('appears in the audit log without a port', async () => {
    const team = await house.createTeam('acme');
    const changed = await house.server.inject({
      method: 'PATCH',
      url: '/api/team',
      remoteAddress: PROXY,
      headers: { ...team.admin.headers, 'x-forwarded-for': '198.51.100.7:50123' },
      payload: { name: 'Acme' },
    });
    assert.equal(changed.statusCode, 200);
    const { events } = (await house.server.inject({ url: '/api/audit', headers: team.admin.headers })).json();
    const addresses = events.map(({ address }: { address: string | null }) => address);
    assert.deepEqual(
      addresses.filter((address: string | null) => address !== null),
      ['198.51.100.7'],
    );
  });

  test('is not believed if there is no proxy in between', async () => {
    const answers = new Set<number>();
    for (let index = 0; index < FLOOD; index++)
      answers.add(await ask(`198.51.100.${index % 250}:${index}`, '192.0.2.200'));
    assert.deepEqual([...answers].sort(), [200, 429]);
  });
});
