import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { exchangeBytes, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const NEVER_SENT = {
  Cookie: 'session=secret',
  Forwarded: 'for=192.0.2.1',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Host': 'evil.example',
  'X-Real-IP': '192.0.2.1',
  'Patchbay-User': 'someone',
  'Proxy-Authorization': 'Basic eDp5',
  'Proxy-Connection': 'keep-alive',
  Traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  Tracestate: 'vendor=x',
  TE: 'trailers',
  'Keep-Alive': 'timeout=5',
};

describe('headers through the proxy', () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(() => stage.api.reset());

  const raw = async (authorization: string, lines: readonly (readonly [string, string])[], body?: string) => {
    const sent = printRequest(stage.proxied('x'), {
      method: body === undefined ? 'GET' : 'POST',
      headers: [['Host', 'localhost:3000'], ['Authorization', authorization], ...lines],
      ...(body === undefined ? {} : { body }),
    });
    return (await exchangeBytes(stage.port, sent))[0];
  };

  test('that are meant for us, or for one connection, are not sent on', async () => {
    const { headers, at } = await stage.connected();
    const { 'Patchbay-User': _, ...others } = NEVER_SENT;
    const lines = [
      ...Object.entries(others),
      ['Connection', 'X-Private, close'],
      ['X-Private', 'yes'],
      ['X-Kept', 'a'],
    ];
    const answer = await raw(headers.authorization, lines as [string, string][]);
    assert.equal(answer?.status, 200, answer?.body);
    const [received] = stage.api.received;
    for (const name of [...Object.keys(NEVER_SENT), 'X-Private'])
      if (name !== 'Keep-Alive' && name !== 'TE') assert.equal(received?.headers[name.toLowerCase()], undefined, name);
    assert.equal(received?.headers['x-kept'], 'a');
    assert.equal(received.headers.authorization, `Bearer ${await at.token('acme-full')}`);
    assert.equal(received.headers.host, new URL(stage.api.url).host);
  });

  test("can't name another credential, in any spelling", async () => {
    const { headers, at } = await stage.connected();
    const answer = await raw(headers.authorization, [
      ['X-Version', 'mine'],
      ['Patchbay_User', 'someone'],
      ['X_Forwarded_For', '192.0.2.1'],
    ]);
    assert.equal(answer?.status, 200);
    const [received] = stage.api.received;
    for (const name of ['patchbay_user', 'x_forwarded_for']) assert.equal(received?.headers[name], undefined, name);
    assert.equal(received?.headers['x-version'], 'mine', 'What the entry only suggests, the caller may change.');
    assert.equal(received.headers.authorization, `Bearer ${await at.token('acme-full')}`);
  });

  for (const [name, value] of [
    ['Upgrade', 'websocket'],
    ['Trailer', 'X-Sum'],
    ['Expect', '200-maybe'],
  ] as const)
    test(`are refused if they can't be passed on: ${name}: ${value}`, async () => {
      const { headers } = await stage.connected();
      const answer = await raw(headers.authorization, [[name, value]], 'hello');
      assert.ok(answer && answer.status >= 400 && answer.status < 500, `${answer?.status} ${answer?.body}`);
      assert.equal(stage.api.received.length, 0);
    });

  for (const [what, lines] of Object.entries({
    'two lengths': [
      ['Content-Length', '5'],
      ['Content-Length', '6'],
    ],
    'a length and chunks': [
      ['Content-Length', '5'],
      ['Transfer-Encoding', 'chunked'],
    ],
    'an unknown encoding': [['Transfer-Encoding', 'gzip']],
    'chunks in disguise': [['Transfer-Encoding', 'xchunked']],
  }))
    test(`can't smuggle another request: ${what}`, async () => {
      const { headers } = await stage.connected();
      const head = printRequest(stage.proxied('x'), {
        method: 'POST',
        headers: [
          ['Host', 'localhost:3000'],
          ['Authorization', headers.authorization],
          ...(lines as [string, string][]),
        ],
      });
      const answers = await exchangeBytes(
        stage.port,
        Buffer.concat([head, Buffer.from('0\r\n\r\nGET /v1/admin HTTP/1.1\r\n\r\n')]),
      );
      assert.ok(
        answers.every(({ status }) => status >= 400 && status < 500),
        JSON.stringify(answers),
      );
      assert.equal(stage.api.received.length, 0);
    });
});
