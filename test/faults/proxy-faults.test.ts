import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import type { TeamMember } from '../harness/team-member.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

onEachEngine('the proxy while something else happens', (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  /** Refuses this token from now on, and takes every other. */
  const refuse = (token: string): void =>
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      response.writeHead(request.headers.authorization === `Bearer ${token}` ? 401 : 200).end('ok');
    });

  test('refreshes once for two hundred callers whose token is refused', async () => {
    const { headers, at } = await stage.connected();
    const before = stage.oauth.count('refresh');
    refuse(await at.token('acme-full'));
    stage.clock.advance(2 * MINUTE_MS);
    const answers = await Promise.all(Array.from({ length: 200 }, () => stage.call(stage.proxied('x'), { headers })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(stage.oauth.count('refresh') - before, 1);
  });

  test('repeats a request with the token that another process has just refreshed', async () => {
    const { headers, at } = await stage.connected();
    const { ask } = await stage.openOther();
    const before = stage.oauth.count('refresh');
    const old = `Bearer ${await at.token('acme-full')}`;
    stage.clock.advance(2 * MINUTE_MS);
    const used: string[] = [];
    stage.api.answer(async ({ headers: { authorization = '' }, url = '' }, response) => {
      used.push(`${url.split('/').at(-1)} ${authorization === old ? 'old' : 'new'}`);
      if (used.length === 1) await ask('GET', stage.proxied('there'), headers);
      response.writeHead(authorization === old ? 401 : 200).end('ok');
    });
    assert.equal((await stage.call(stage.proxied('here?connection=default'), { headers })).status, 200);
    assert.deepEqual(used, ['here old', 'there old', 'there new', 'here new']);
    assert.equal(stage.oauth.count('refresh') - before, 1);
  });

  test('asks for no more than one refresh a minute, however often a new token is refused', async () => {
    const { headers } = await stage.connected();
    const before = stage.oauth.count('refresh');
    stage.api.answer((request, response) => {
      request.resume();
      response.writeHead(401).end('never');
    });
    stage.clock.advance(2 * MINUTE_MS);
    for (let time = 0; time < 5; time++) {
      const answer = await stage.call(stage.proxied('x'), { headers });
      assert.deepEqual([answer.status, answer.body], [401, 'never']);
    }
    assert.equal(stage.oauth.count('refresh') - before, 1);
    stage.clock.advance(2 * MINUTE_MS);
    await stage.call(stage.proxied('x'), { headers });
    assert.equal(stage.oauth.count('refresh') - before, 2);
  });

  test('passes the refusal on if the provider renews nothing', async () => {
    const { headers, at } = await stage.connected();
    refuse(await at.token('acme-full'));
    stage.clock.advance(2 * MINUTE_MS);
    stage.oauth.fail('refresh', serverError);
    const answer = await stage.call(stage.proxied('x'), { headers });
    assert.deepEqual([answer.status, answer.headers['patchbay-from']], [401, 'provider']);
  });

  test('repeats a request as the same connection if another was added meanwhile', async () => {
    const { headers, at } = await stage.connected('work');
    const work = await at.token('acme-full', 'work');
    stage.clock.advance(2 * MINUTE_MS);
    const used: (string | undefined)[] = [];
    stage.api.answer(async (request, response) => {
      request.resume();
      used.push(request.headers.authorization);
      if (used.length === 1) await at.connect('acme-full', stage.newAccount());
      response.writeHead(used.length === 1 ? 401 : 200).end('ok');
    });
    assert.equal((await stage.call(stage.proxied('pay'), { method: 'POST', headers, body: '1' })).status, 200);
    assert.deepEqual(used, [`Bearer ${work}`, `Bearer ${await at.token('acme-full', 'work')}`]);
  });

  for (const [how, takeName] of Object.entries<(at: TeamMember, account: string) => Promise<void>>({
    'in its place': (at, account) => at.connect('acme-full', account, { connection: 'work', replace: true }),
    'after it was disconnected': async (at, account) => {
      await at.disconnect('acme-full', 'work');
      await at.connect('acme-full', account, { connection: 'work' });
    },
  }))
    test(`never repeats a request as another account that took the name meanwhile, ${how}`, async () => {
      const { headers, at } = await stage.connected('work');
      const work = await at.token('acme-full', 'work');
      stage.clock.advance(2 * MINUTE_MS);
      const used: (string | undefined)[] = [];
      stage.api.answer(async (request, response) => {
        request.resume();
        used.push(request.headers.authorization);
        if (used.length === 1) await takeName(at, stage.newAccount());
        response.writeHead(request.headers.authorization === `Bearer ${work}` ? 401 : 200).end('ok');
      });
      const pay = () => stage.call(stage.proxied('pay?connection=work'), { method: 'POST', headers, body: '1' });
      assert.equal((await pay()).status, 401);
      assert.deepEqual(used, [`Bearer ${work}`]);
      assert.equal((await pay()).status, 200, 'The next one is for the account that has the name now.');
    });

  test('sends a large body once, as it arrives, and never again', async () => {
    const { headers, at } = await stage.connected();
    refuse(await at.token('acme-full'));
    stage.clock.advance(2 * MINUTE_MS);
    const body = Buffer.alloc(3 * MEBIBYTE, 'x');
    const answer = await stage.call(stage.proxied('upload'), { method: 'PUT', headers, body });
    assert.equal(answer.status, 401);
    assert.deepEqual(
      stage.api.received.map(({ body: { length } }) => length),
      [body.length],
    );
    const again = await stage.call(stage.proxied('upload'), { method: 'PUT', headers, body });
    assert.equal(again.status, 200, 'The next one has the new token.');
  });

  test('takes 50 MiB, and not a byte more', async () => {
    const { headers } = await stage.connected();
    let received = 0;
    stage.api.answer(async (request, response) => {
      for await (const piece of request) received += piece.length;
      response.end('done');
    });
    const most = Buffer.alloc(50 * MEBIBYTE);
    const full = await stage.call(stage.proxied('upload'), { method: 'POST', headers, body: most });
    assert.deepEqual([full.status, received], [200, most.length]);
    const announced = await stage.call(stage.proxied('upload'), {
      method: 'POST',
      headers: { ...headers, 'content-length': most.length + 1, connection: 'close' },
    });
    assert.equal(problemIn(announced), 'proxy.body_too_large');
    const chunked = stage.begin(stage.proxied('upload'), {
      method: 'POST',
      headers: { ...headers, 'transfer-encoding': 'chunked' },
    });
    chunked.on('error', () => undefined);
    chunked.write(most);
    chunked.end('x');
    const [response] = (await once(chunked, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 413);
    response.resume();
  });

  test('goes on with a stream while its connection is refreshed, and after it was disconnected', async () => {
    const { headers, at } = await stage.connected();
    let go: (() => void) | undefined;
    stage.api.answer((request, response) => {
      request.resume();
      response.write('first,');
      go = () => response.end('last');
    });
    const sent = stage.begin(stage.proxied('stream'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    stage.clock.advance(59 * MINUTE_MS);
    await at.token('acme-full');
    assert.equal(await at.disconnect('acme-full'), 'revoked');
    const refused = await stage.call(stage.proxied('x'), { headers });
    assert.equal(problemIn(refused), 'integrations.not_connected', 'A new request is refused right away.');
    go?.();
    let text = '';
    for await (const piece of response) text += piece;
    assert.equal(text, 'first,last');
  });

  test('opens a new connection if the provider has closed a kept one', async () => {
    const { headers } = await stage.connected();
    const sockets = new Set<unknown>();
    stage.api.answer((request, response) => {
      sockets.add(request.socket);
      request.resume();
      response.end('ok');
    });
    for (let time = 0; time < 3; time++) assert.equal((await stage.call(stage.proxied('x'), { headers })).status, 200);
    assert.equal(sockets.size, 1, 'Connections are kept.');
    stage.api.server.closeAllConnections();
    assert.equal((await stage.call(stage.proxied('x'), { headers })).status, 200);
    assert.equal(sockets.size, 2);
  });

  test('says so if the provider is not there, and works once it is back', async () => {
    const { headers } = await stage.connected();
    const { port } = new URL(stage.api.url);
    stage.api.server.closeAllConnections();
    stage.api.server.close();
    const answer = await stage.call(stage.proxied('x'), { headers });
    assert.deepEqual([answer.status, problemIn(answer)], [502, 'proxy.provider_unreachable']);
    stage.api.server.listen(Number(port), '127.0.0.1');
    await once(stage.api.server, 'listening');
    await waitUntil('it works again', async () => (await stage.call(stage.proxied('x'), { headers })).status === 200);
  });
});
