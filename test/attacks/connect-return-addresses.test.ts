import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  BROWSER,
  type ConnectStage,
  cookiesOf,
  expectRefused,
  startConnectStage,
  withParams,
} from '../harness/connect-flow.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const HOME = 'http://localhost:3000';
const APP = 'https://app.example';

const ELSEWHERE = [
  ...[
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
  ],
  ...['/\n/evil.example', '/\r\n/evil.example', ' //evil.example', '\t//evil.example', '\u0000//evil.example'],
  ...['/.//evil.example', '/..//evil.example', '/a/..//evil.example', '/%2e//evil.example', '/%2e%2e//evil.example'],
  ...['/./\\evil.example', '/x/../..//evil.example', '%2f%2fevil.example', '%5c%5cevil.example', '/%5cevil.example'],
  ...['evil.example', '.evil.example', '@evil.example', ':80', '?', '#', 'x', ''],
  ...[
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https://evil.example',
    'HTTPS://evil.example',
  ],
  ...[
    'http://app.example',
    'https://app.example:8443',
    'https://app.example:80',
    'ftp://app.example',
    'ws://app.example',
  ],
  ...['https://app.example.evil.example', 'https://app.exampleevil.example', 'https://evil.example/app.example'],
  ...['https://sub.app.example', 'https://xapp.example', 'https://app.example.', 'https://app%2eexample.evil.example'],
  ...['https://app@evil.example', 'https://app.example@evil.example', 'https://app.example:pw@evil.example'],
  ...['https://user@app.example', 'https://user:pw@app.example', 'https://evil.example#@app.example'],
  ...[
    'https://evil.example?https://app.example',
    'https://evil.example\\@app.example',
    'https://app.example\\.evil.example',
  ],
  ...[
    'https://evil\u3002example',
    'https://app\u3002example\u3002evil.example',
    'https://evil.example\uff0f.app.example',
  ],
  ...['https://app.example\t.evil.example', 'https://app.example\n', 'https://app.example\r\nSet-Cookie: a=b'],
  ...['/\r\nLocation: https://evil.example', '/a\r\nSet-Cookie: a=b', '/a%0d%0aSet-Cookie:%20a=b'],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
  ],
  ...[
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/x',
    'about:blank',
    'view-source:https://app.example',
  ],
  ...['https://[::1]', 'https://127.0.0.1', 'http://localhost:3001', 'https://localhost:3000', 'null', 'undefined'],
  ...['/../../../etc/passwd', '/..%2f..%2f', '/%2e%2e/%2e%2e/', '/a/../../b', '/a'.repeat(1_001)],
];

describe('where a person goes after the callback', () => {
  const flow = useStage(() => startConnectStage('sqlite', { env: { PATCHBAY_RETURN_ORIGINS: APP } }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  type Answer = Awaited<ReturnType<ConnectStage['get']>>;

  /** Without an address if the flow wasn't started. */
  const toBegun = (answer: Answer, authorizationUrl: string | undefined) => ({
    answer,
    authorizationUrl,
    cookie: cookiesOf(answer.headers['set-cookie']),
  });

  const byPost = async (returnTo: string) => {
    const answer = await flow.post('github/connect', team.member.headers, { returnTo });
    return toBegun(answer, answer.statusCode === 200 ? answer.json().authorizationUrl : undefined);
  };

  const byLink = async (returnTo: string) => {
    const query = new URLSearchParams({ returnTo });
    const answer = await flow.get(`/api/integrations/github/connect?${query}`, team.member.headers);
    return toBegun(answer, answer.statusCode === 302 ? String(answer.headers.location) : undefined);
  };

  /** As a browser resolves it at the callback's own address. */
  const expectInside = (location: unknown, what: string): void => {
    assert.ok(typeof location === 'string', `${what}: no Location`);
    const led = new URL(location, `${HOME}/api/integrations/github/callback`);
    assert.ok([HOME, APP].includes(led.origin), `${JSON.stringify(what)} leads to ${led.href}`);
    assert.equal(`${led.username}${led.password}`, '', what);
    assert.doesNotMatch(location, /^[\\/]{2}|[\p{Cc}\\]/u, `${JSON.stringify(what)} gives ${JSON.stringify(location)}`);
  };

  /** The person declines at the provider, which is the quickest way back. */
  const followBack = async (authorizationUrl: string, cookie: string, deny = true) => {
    const back = flow.consent(authorizationUrl, { deny });
    const answer = await flow.arrive(back, { ...BROWSER, cookie });
    assert.equal(answer.statusCode, 303, answer.body);
    return answer;
  };

  const tryBoth = async (returnTo: string) => {
    for (const begin of [byPost, byLink]) {
      const { answer, authorizationUrl, cookie } = await begin(returnTo);
      if (authorizationUrl === undefined) {
        assert.equal(answer.statusCode, 400, `${JSON.stringify(returnTo)}: ${answer.body}`);
        assert.doesNotMatch(answer.body, /evil/);
      } else expectInside((await followBack(authorizationUrl, cookie)).headers.location, returnTo);
    }
  };

  for (const returnTo of ELSEWHERE)
    test(`is here or an allowed place, whatever was requested: ${JSON.stringify(returnTo).slice(0, 60)}`, () =>
      tryBoth(returnTo));

  test('is here or an allowed place, for every combination of the pieces of such addresses', async () => {
    const piece = fc.constantFrom(
      ...['/', '//', '\\', '.', '..', '%2e', '%2f', '%5c', '\t', '\n', ' ', ':', '@', '?', '#', '&', '=', 'outcome'],
      ...['evil.example', 'app.example', 'https:', 'https://', 'javascript:', 'localhost:3000', '\u3002', '\u2215'],
    );
    const address = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
    const any = fc.oneof(
      address,
      address.map((rest) => `/${rest}`),
      address.map((rest) => `${APP}${rest}`),
    );
    await fc.assert(
      fc.asyncProperty(any, async (returnTo) => {
        const { answer, authorizationUrl, cookie } = await byPost(returnTo);
        if (authorizationUrl === undefined) assert.equal(answer.statusCode, 400);
        else expectInside((await followBack(authorizationUrl, cookie)).headers.location, returnTo);
      }),
      { numRuns: 500 },
    );
  });

  const EXACT: [string, string][] = [
    ['/', '/?…'],
    ['/done', '/done?…'],
    ['/a/b?c=d#e', '/a/b?c=d&…#e'],
    ['/a?x=%2F&y=1', '/a?x=%2F&y=1&…'],
    [`${APP}/done?x=1`, `${APP}/done?x=1&…`],
    [`${APP}`, `${APP}/?…`],
    [`${APP}/a#b`, `${APP}/a?…#b`],
  ];

  const expectExact = async (returnTo: string, wanted: string) => {
    for (const [deny, outcome] of [
      [false, 'provider=github&outcome=connected'],
      [true, 'provider=github&outcome=failed&error=integrations.access_denied'],
    ] as const) {
      const { authorizationUrl, cookie } = await byPost(returnTo);
      assert.ok(authorizationUrl !== undefined, `${returnTo} is refused`);
      const answer = await followBack(authorizationUrl, cookie, deny);
      assert.equal(answer.headers.location, wanted.replace('…', outcome));
    }
  };

  test('is exactly the address that was checked, plus the outcome', async () => {
    for (const [returnTo, wanted] of EXACT) await expectExact(returnTo, wanted);
  });

  test('is that address byte for byte, even if its query is encoded unusually', async () => {
    await expectExact('/a?flag&x=%20y~z&sig=a%2Bb*', '/a?flag&x=%20y~z&sig=a%2Bb*&…');
  });

  test('never contains an outcome that someone else put there', async () => {
    const planted = [
      'outcome=connected&provider=evil&error=none&attempt=x',
      'outcome=connected&outcome=connected',
      '%6futcome=connected&%70rovider=evil',
      'attempt=x&error=y',
    ];
    for (const place of ['/done', `${APP}/done`])
      for (const query of planted) await expectExact(`${place}?${query}&keep=1`, `${place}?keep=1&…`);
  });

  test('is never taken from the callback', async () => {
    const { authorizationUrl, cookie } = await byPost('/done');
    const back = withParams(flow.consent(String(authorizationUrl)), {
      returnTo: 'https://evil.example',
      return_to: 'https://evil.example',
      redirect_uri: 'https://evil.example',
      outcome: 'connected',
    });
    const headers = {
      ...BROWSER,
      cookie,
      referer: 'https://evil.example/',
      origin: 'https://evil.example',
    };
    const answer = await flow.arrive(back, headers);
    assert.equal(answer.headers.location, '/done?provider=github&outcome=connected');
  });

  test('is refused by name when the flow starts, and nothing starts', async () => {
    for (const [begin, path] of [
      [byPost, 'body.returnTo'],
      [byLink, 'query.returnTo'],
    ] as const) {
      const { answer } = await begin('https://evil.example/');
      expectRefused(answer, 400, 'integrations.return_refused');
      assert.equal(answer.headers.location, undefined);
      assert.deepEqual(answer.json().errors, [{ path, message: 'is not allowed' }]);
    }
  });

  test('may be given only once', async () => {
    const url = '/api/integrations/github/connect?returnTo=/a&returnTo=https://evil.example';
    assert.equal((await flow.get(url, team.member.headers)).statusCode, 400);
  });
});
