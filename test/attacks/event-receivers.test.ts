import assert from 'node:assert/strict';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEGABYTE = 2 ** 20;

/** A receiver that isn't a web server. `respond` gets the connection once a request has arrived on it. */
const startHostile = async () => {
  const sockets = new Set<Socket>();
  const hostile = { respond: (_: Socket): void => undefined, requests: 0 };
  const server: Server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      hostile.requests++;
      hostile.respond(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  const opened = Object.assign(hostile, {
    port: address.port,
    countOpen: () => sockets.size,
    hangUp(): void {
      for (const socket of sockets) socket.destroy();
    },
    async close(): Promise<void> {
      opened.hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return opened;
};

onOneEngine('receivers that mean no good', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const receiver = useStage(startEventReceiver);
  const hostile = useStage(startHostile);
  let made = 0;

  const createEndpoint = async (
    headers: Record<string, string>,
    url: string,
  ): Promise<{ id: string; secret: string }> => {
    const answer = await house.server.inject({
      method: 'POST',
      url: '/api/events/endpoints',
      headers,
      payload: { url },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json();
  };

  const createTeam = async (url: string) => {
    const { team, admin } = await house.createTeam(`receivers-${++made}`);
    const endpoint = await createEndpoint(admin.headers, url);
    const happen = (count: number) =>
      house.app.database.transaction((tx) =>
        house.app.events.record(
          tx,
          ...Array.from({ length: count }, (_, index) => ({
            ...{ teamId: team.id, type: 'call.started' as const, subject: `${index}`, data: { id: `${index}` } },
          })),
        ),
      );
    const test = async () => {
      const url = `/api/events/endpoints/${endpoint.id}/test`;
      return (await house.server.inject({ method: 'POST', url, headers: admin.headers })).json();
    };
    return { team, admin, endpoint, happen, test };
  };

  const hostileUrl = (scheme = 'http'): string => `${scheme}://127.0.0.1:${hostile.port}/hook?token=planted-in-the-url`;

  test('and never respond hold up nobody else, and only a few connections', async () => {
    hostile.respond = () => undefined;
    const bad = await createTeam(hostileUrl());
    const good = await Promise.all(Array.from({ length: 5 }, () => createTeam(receiver.url)));
    await bad.happen(300);
    house.app.events.sending.start();
    await waitUntil('a request that nobody responds to', () => hostile.requests > 0);
    for (const { happen } of good) await happen(40);
    await waitUntil('all events of the others', () => receiver.received.length === 200);
    assert.ok(hostile.countOpen() <= 2, `${hostile.countOpen()} connections`);
    const { id } = bad.endpoint;
    await house.server.inject({ method: 'DELETE', url: `/api/events/endpoints/${id}`, headers: bad.admin.headers });
    hostile.hangUp();
  });

  test('and send a body without end have accepted, if they said so, and are cut off', async () => {
    let sent = 0;
    hostile.respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', more);
      more();
    };
    const { test: sendTest } = await createTeam(hostileUrl());
    const { delivered, status } = await sendTest();
    assert.deepEqual([delivered, status], [true, 200]);
    await waitUntil('the end of the connection', () => hostile.countOpen() === 0);
    assert.ok(sent < 20 * MEGABYTE, `${sent} bytes`);
  });

  test('and drip a body have accepted, if they said so, and are cut off', async () => {
    hostile.respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 100);
      socket.on('close', () => clearInterval(timer));
    };
    const { test: sendTest } = await createTeam(hostileUrl());
    assert.equal((await sendTest()).delivered, true);
    await waitUntil('the end of the connection', () => hostile.countOpen() === 0);
  });

  test('and never respond are tested by a few at a time, and the others are refused', async () => {
    const TESTS = 20;
    const [AT_ONCE, WAITING] = [2, 4];
    hostile.respond = () => undefined;
    hostile.requests = 0;
    const bad = await createTeam(hostileUrl());
    const good = await createTeam(receiver.url);
    let refused = 0;
    const tests = Array.from({ length: TESTS }, async () => {
      const answer = await bad.test();
      if (answer.code === 'events.too_many_tests') refused++;
    });
    await waitUntil('most are refused', () => refused >= TESTS - AT_ONCE - WAITING);
    await waitUntil('the first are sent', () => hostile.requests === AT_ONCE);
    assert.equal((await good.test()).delivered, true);
    assert.equal(hostile.requests, AT_ONCE);
    hostile.respond = (socket) => void socket.destroy();
    hostile.hangUp();
    await Promise.all(tests);
  });

  for (const [what, respond, said] of [
    ['don’t speak HTTP', (socket: Socket) => void socket.end('220 mail.example ESMTP\r\n'), /^The connection failed/],
    ['close the connection', (socket: Socket) => void socket.destroy(), /^The connection failed/],
    [
      'send headers without end',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'X-Long: '.padEnd(200_000, 'x')}\r\n`),
      /^The connection failed/,
    ],
  ] as const)
    test(`and ${what} have not accepted`, async () => {
      hostile.respond = respond;
      const { test: sendTest } = await createTeam(hostileUrl());
      const { delivered, status, error } = await sendTest();
      assert.deepEqual([delivered, status], [false, null]);
      assert.match(error, said);
    });

  test('and have a bad certificate get nothing', async () => {
    const before = hostile.requests;
    hostile.respond = (socket) => void socket.end('not TLS');
    const { test: sendTest } = await createTeam(hostileUrl('https'));
    const { delivered, error } = await sendTest();
    assert.equal(delivered, false);
    assert.match(error, /^The connection failed/);
    assert.ok(hostile.requests <= before + 1, 'Only the greeting of TLS arrives, and no event.');
  });

  test('leave no secret and no address in the log, in responses, or in plain rows', async () => {
    const { endpoint, test: sendTest, happen } = await createTeam(hostileUrl());
    hostile.respond = (socket) =>
      void socket.end('HTTP/1.1 500 planted-in-the-status\r\nContent-Length: 18\r\n\r\nplanted-in-the-body');
    const response = await sendTest();
    await happen(3);
    await house.app.events.sending.sendAll();
    const rows = [
      await house.app.database.all<object>('select * from event_endpoints'),
      await house.app.database.all<object>('select * from event_attempts'),
      await house.app.database.all<object>('select * from audit_events'),
    ];
    for (const seen of [JSON.stringify(house.lines), JSON.stringify(rows), JSON.stringify(response)]) {
      assert.doesNotMatch(seen, /planted-in-the/);
      assert.equal(seen.includes(endpoint.secret), false);
    }
  });
});

onOneEngine('in production', (engine) => {
  const house = useStage(() =>
    createTestApp(engine, { env: { NODE_ENV: 'production', PATCHBAY_URL: 'https://patchbay.example' } }),
  );

  test('nothing is sent to a private address', async () => {
    const { admin } = await house.createTeam('private');
    const create = (url: string) =>
      house.server.inject({ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload: { url } });
    for (const url of ['http://example.com/', 'https://localhost/', 'https://127.0.0.1/', 'https://[::1]/'])
      assert.equal((await create(url)).json().code, 'events.url_invalid', url);
    for (const url of [
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'https://[fd00::1]/',
      'https://0x7f.1/',
    ]) {
      const made = await create(url);
      if (made.statusCode === 400) continue;
      const { id } = made.json();
      const test = { method: 'POST', url: `/api/events/endpoints/${id}/test`, headers: admin.headers } as const;
      const { delivered, error } = (await house.server.inject(test)).json();
      assert.deepEqual([delivered, error], [false, 'The host does not have a public address.'], url);
    }
  });
});
