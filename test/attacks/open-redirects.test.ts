import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { makeLinkPath, openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const HOME = 'http://localhost:3000';

const ELSEWHERE = [
  '//evil.example',
  '///evil.example',
  '////evil.example/%2f..',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '\u00a0//evil.example',
  '\u2028//evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  '/./\\evil.example',
  '/;@evil.example',
  '//evil.example\\@localhost:3000',
  '//localhost:3000@evil.example',
  '/%2f%2fevil.example',
  '%2f%2fevil.example',
  '%5c%5cevil.example',
  'evil.example',
  '.evil.example',
  '@evil.example',
  ':80',
  'https:evil.example',
  'https:/evil.example',
  'https://evil.example',
  'HTTPS://evil.example',
  'http://localhost:3000.evil.example',
  'http://localhost:3000@evil.example',
  'http://localhost:30000/',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '/\u2215/evil.example',
  '/x\r\nLocation: https://evil.example',
  '/x\r\nSet-Cookie: a=b',
  '/%0d%0aLocation:%20https://evil.example',
  '//evil。example',
  '//[::1]',
  '',
  '/'.repeat(3_000),
];

/** As a browser reads it: relative to the address that responded, tabs and line breaks dropped, "\\" taken for "/". */
const expectHome = (location: unknown, what: string): void => {
  assert.ok(typeof location === 'string', `${what}: no Location`);
  const led = new URL(location, `${HOME}/sign-in`);
  assert.equal(led.origin, HOME, `${JSON.stringify(what)} leads to ${led.href} by ${JSON.stringify(location)}`);
  assert.doesNotMatch(location, /^[\\/]{2}|[\p{Cc}\\]/u, `${JSON.stringify(what)} gives ${JSON.stringify(location)}`);
};

describe('where a person goes after signing in', () => {
  const stage = useStage(() => createTestApp('sqlite', { env: { PATCHBAY_RATE_LIMIT: '1000000' } }));
  let session: Session;
  let user: Awaited<ReturnType<TestApp['createTeam']>>['admin']['user'];

  before(async () => {
    ({ user } = (await stage.createTeam('redirects')).admin);
    session = await openSession(stage, user);
  });

  const ask = (returnTo: string, headers: Record<string, string>) =>
    stage.server.inject({ url: '/sign-in', query: { returnTo }, headers });

  /** For someone who is signed in: redirected immediately, or shown a page. */
  const tryWhileSignedIn = async (returnTo: string) => {
    const answer = await ask(returnTo, session.headers);
    if (answer.statusCode === 303) expectHome(answer.headers.location, returnTo);
    else assert.equal(answer.headers.location, undefined, returnTo);
  };

  /** For someone who isn't: the destination is kept in a cookie until the link is used. */
  const tryByLink = async (cookie: string, what: string) => {
    const answer = await stage.server.inject({
      method: 'POST',
      url: await makeLinkPath(stage, user),
      headers: { cookie },
    });
    assert.equal(answer.statusCode, 303);
    expectHome(answer.headers.location, what);
  };

  const keptCookie = async (returnTo: string): Promise<string | undefined> => {
    const { cookies } = await ask(returnTo, {});
    const kept = cookies.find(({ name }) => name === 'patchbay_return');
    return kept && `patchbay_return=${encodeURIComponent(kept.value)}`;
  };

  for (const returnTo of ELSEWHERE) {
    test(`is here, whatever was requested: ${JSON.stringify(returnTo).slice(0, 60)}`, async () => {
      await tryWhileSignedIn(returnTo);
      const kept = await keptCookie(returnTo);
      if (kept) await tryByLink(kept, returnTo);
    });

    test(`is here, whatever the cookie says: ${JSON.stringify(returnTo).slice(0, 60)}`, () =>
      tryByLink(`patchbay_return=${encodeURIComponent(returnTo)}`, returnTo));
  }

  test('is here, for every combination of the pieces of such addresses', async () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '.',
        '..',
        '/.',
        '/..',
        '%2e',
        '%2f',
        '%5c',
        '%09',
        '\t',
        '\n',
        '\r',
        ' ',
        ':',
        '@',
        '?',
        '#',
      ],
      ...['evil.example', 'https:', 'http://', 'javascript:', 'localhost:3000', 'a', '\u3002', '\u2215'],
    );
    const address = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    await fc.assert(fc.asyncProperty(address, tryWhileSignedIn), { numRuns: 2_000 });
    await fc.assert(
      fc.asyncProperty(
        address.map((rest) => `/${rest}`),
        tryWhileSignedIn,
      ),
      { numRuns: 2_000 },
    );
  });

  test('is the full address that was wanted, if it is one of ours', async () => {
    for (const wanted of ['/', '/docs', '/integrations/github?tab=1&x=%2F', '/a/b?c=d#e', '/caf%C3%A9']) {
      assert.equal((await ask(wanted, session.headers)).headers.location, wanted);
      const kept = await keptCookie(wanted);
      const answer = await stage.server.inject({
        method: 'POST',
        url: await makeLinkPath(stage, user),
        headers: { cookie: kept ?? '' },
      });
      assert.equal(answer.headers.location, wanted);
    }
  });
});
