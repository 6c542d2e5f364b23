import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createOutbound, type Outbound } from '../../src/platform/index.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { cookieFrom, makeLinkPath } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOME = 'https://localhost:3000';
const HOUR_MS = 3_600_000;

describe('signing in while others interfere', () => {
  const clock = createTestClock();
  const mail = useStage(() => startMailServer());
  const provider = useStage(() => startIdentityProvider({ redirectUri: `${HOME}/sign-in/callback` }));
  const stage = useStage(() =>
    createTestApp('sqlite', {
      clock,
      outbound: createCounted(),
      env: {
        PATCHBAY_URL: HOME,
        AUTH_ISSUER: provider.issuer,
        AUTH_AUDIENCE: 'patchbay',
        AUTH_CLIENT_ID: 'dashboard',
        AUTH_CLIENT_SECRET: 'dashboard-secret',
        SMTP_URL: mail.url,
        MAIL_FROM: 'Patchbay <pb@example.com>',
        OAUTH_GITHUB_CLIENT_ID: 'client',
        OAUTH_GITHUB_CLIENT_SECRET: 'client-secret',
      },
    }),
  );
  let tokenRequests = 0;

  const createCounted = (): Outbound => {
    const real = createOutbound({ allowPrivate: true });
    return {
      ...real,
      request: (request) => {
        if (request.url === `${provider.issuer}/token`) tokenRequests++;
        return real.request(request);
      },
    };
  };

  before(async () => {
    await stage.app.jobs.start();
  });

  const get = (url: string, headers: Record<string, string> = {}) =>
    stage.server.inject({ url, headers: { accept: 'text/html', ...headers } });
  const setCookies = ({ headers }: Awaited<ReturnType<typeof get>>) => [headers['set-cookie'] ?? []].flat().map(String);

  const askForLink = async (email: string): Promise<void> => {
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ email }).toString(),
    });
    assert.equal(answer.statusCode, 200);
  };
  /** Once everything requested has been mailed. */
  const linksMailedTo = async (address: string) => {
    await waitUntil('all jobs are done', async () => {
      const { queued, active } = await stage.app.jobs.count();
      return queued + active === 0;
    });
    return mail.received.filter(
      ({ to, raw }) => to.includes(address) && /^Subject: Your Patchbay sign-in link/m.test(raw),
    );
  };

  test('ignores a cookie planted by a sibling host', async () => {
    const begun = await get('/sign-in/outside');
    assert.equal(begun.statusCode, 303, begun.body);
    const lines = [...setCookies(begun), ...setCookies(await get('/sign-in?returnTo=%2Fcalls'))];
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /^__Host-/);
  });

  test('does not let a stranger make the service query the identity provider over and over', async () => {
    const begun = await get('/sign-in/outside');
    const cookie = setCookies(begun)[0]?.split(';')[0] ?? '';
    const state = new URL(String(begun.headers.location)).searchParams.get('state') ?? '';
    for (let time = 0; time < 60; time++) {
      const query = new URLSearchParams({ state, iss: provider.issuer, code: `guess-${time}` });
      await get(`/sign-in/callback?${query}`, { cookie });
    }
    assert.ok(tokenRequests > 0 && tokenRequests <= 30, `${tokenRequests} token requests in one minute`);
  });

  test('never sends the sign-in form to another site: the browser refuses, and nobody was asked', async () => {
    const { admin } = await stage.createTeam('led');
    const wanted = '/api/integrations/github/connect?scopes=repo';
    const led = await get(`/sign-in?returnTo=${encodeURIComponent(wanted)}`, { 'sec-fetch-site': 'cross-site' });
    const kept = setCookies(led).map((line) => line.split(';')[0]);
    const ownSite = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    let answer = await stage.server.inject({
      method: 'POST',
      url: await makeLinkPath(stage, admin.user),
      headers: { ...ownSite, cookie: kept.join('; ') },
    });
    const cookie = cookieFrom(answer.headers['set-cookie'], '__Host-patchbay_session');
    for (let step = 0; answer.headers.location !== undefined && step < 5; step++) {
      const { origin, pathname, search } = new URL(answer.headers.location, HOME);
      assert.equal(origin, HOME, `It leads to ${origin}.`);
      answer = await get(`${pathname}${search}`, { ...ownSite, cookie });
    }
    assert.equal(answer.statusCode, 200);
  });

  test("nobody's letter box is filled by somebody who is patient", async () => {
    await stage.createTeam('patient');
    for (let hour = 0; hour < 12; hour++) {
      await askForLink('member@patient.example');
      await askForLink('member@patient.example');
      clock.advance(HOUR_MS);
    }
    const { length } = await linksMailedTo('member@patient.example');
    assert.ok(length > 0 && length <= 10, `${length} mails in half a day`);
  });

  test('keeps a team’s name from adding lines to the email', async () => {
    const { admin } = await stage.createTeam('lines');
    const payload = { name: 'lines\n\nYour account is locked: https://evil.example\n\n' };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload });
    await askForLink('admin@lines.example');
    const [letter] = await linksMailedTo('admin@lines.example');
    assert.ok(letter);
    assert.doesNotMatch(letter.raw, /^Your account/m);
  });
});
