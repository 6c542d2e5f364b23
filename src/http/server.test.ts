import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createTestApp, createTestClock, SECRETS } from '../../test/harness/app.ts';
import { skipAhead } from '../../test/harness/skip-ahead.ts';
import { useStage } from '../../test/harness/use-stage.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { html, Type } from '../platform/index.ts';
import { LIMITS } from './contract/limits.ts';
import type { Routes } from './contract/routes.ts';
import { useRawBody } from './schemas/raw-body.ts';

let waiting = 0;

const testRoutes: Routes = async (server) => {
  server.get('/api/test/endless', { config: { access: 'anyone' }, schema: { hide: true } }, () => {
    waiting++;
    return new Promise(() => undefined);
  });
  server.get('/api/test/address', { config: { access: 'anyone' }, schema: { hide: true } }, (request) => ({
    address: request.ip,
  }));
  server.post(
    '/api/test/echo',
    { config: { access: 'anyone' }, schema: { hide: true, body: Type.Unknown() } },
    (request) => ({ body: request.body }),
  );
  server.get('/api/test/bug', { config: { access: 'anyone' }, schema: { hide: true } }, () => {
    throw new Error('select secret from vault');
  });
  await server.register(async (scope) => {
    useRawBody(scope);
    scope.post('/api/test/raw', { config: { access: 'anyone' }, schema: { hide: true } }, (request) => ({
      bytes: Buffer.isBuffer(request.body) ? request.body.toString('hex') : null,
    }));
  });
};

describe('server', () => {
  const house = useStage(() => {
    const env = {
      PATCHBAY_RETURN_ORIGINS: 'https://app.example.com',
      PATCHBAY_TRUSTED_PROXIES: '127.0.0.0/8',
      PATCHBAY_RATE_LIMIT: '1000',
    };
    return createTestApp('sqlite', { env, routes: [testRoutes], requestMs: LIMITS.requestMs });
  });

  test('every response has a request id and the version, and nothing in /api is cached', async () => {
    for (const url of ['/api/team', '/nope', '/healthz', '/api/nope']) {
      const { headers } = await house.server.inject({ url });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, url);
      assert.match(String(headers['patchbay-version']), /^\d{4}-\d{2}-\d{2}$/, url);
      if (url.startsWith('/api')) assert.equal(headers['cache-control'], 'no-store', url);
    }
  });

  test('a request has fifteen seconds, and is then told so', async () => {
    const asked = house.server.inject({ url: '/api/test/endless' });
    await waitUntil('it has begun', () => waiting === 1);
    skipAhead(15_000);
    const { statusCode, headers, json } = await asked;
    assert.deepEqual([statusCode, json().code], [503, 'http.took_too_long']);
    assert.match(String(headers['retry-after']), /^\d+$/);
  });

  test('an infinite number is rejected, like any other that is out of range', async () => {
    const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    for (const limit of ['1e400', '-1e400', '0', '1e9']) {
      const { statusCode } = await house.server.inject({ url: `/api/audit?limit=${limit}`, headers });
      assert.equal(statusCode, 400, limit);
    }
    assert.equal((await house.server.inject({ url: '/api/audit?limit=10', headers })).statusCode, 200);
  });

  test('an unknown path is a problem, or a page for browsers', async () => {
    const asked = await house.server.inject({ url: '/nope' });
    assert.equal(asked.headers['content-type'], 'application/problem+json; charset=utf-8');
    assert.deepEqual(Object.keys(asked.json()), ['type', 'title', 'status', 'code', 'detail', 'requestId']);
    const browsed = await house.server.inject({ url: '/nope', headers: { accept: 'text/html' } });
    assert.equal(browsed.statusCode, 404);
    assert.match(String(browsed.headers['content-type']), /^text\/html/);
    assert.match(browsed.body, /<title>Page not found[\s\S]*<h1>Page not found<\/h1>/);
    const api = await house.server.inject({ url: '/api/nope', headers: { accept: 'text/html' } });
    assert.match(String(api.headers['content-type']), /^application\/problem/);
  });

  test('a known path with another method is a 405 that lists the methods, before the body is read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      const response = await house.server.inject({
        method,
        url: '/api/team',
        headers: { 'content-type': 'application/json' },
        payload: '{bad',
      });
      assert.equal(response.statusCode, 405, method);
      assert.equal(response.headers.allow, 'GET, PATCH', method);
    }
  });

  test('HEAD works where it has no side effects', async () => {
    const response = await house.server.inject({ method: 'HEAD', url: '/healthz' });
    assert.equal(response.statusCode, 200);
    assert.equal(response.body, '');
  });

  test('HEAD on a public resource is a GET without the body', async () => {
    const paths = [
      '/',
      '/sign-in',
      '/docs',
      '/docs/json',
      '/openapi.json',
      '/assets/patchbay.css',
      '/healthz',
      '/readyz',
    ];
    for (const url of paths) {
      const got = await house.server.inject({ url });
      const headed = await house.server.inject({ method: 'HEAD', url });
      assert.ok(headed.statusCode < 400, `${url}: ${headed.statusCode}`);
      assert.equal(headed.body, '', url);
      for (const name of ['content-type', 'content-length', 'location'])
        assert.equal(headed.headers[name], got.headers[name], `${url}: ${name}`);
      assert.equal(headed.statusCode, got.statusCode, url);
    }
  });

  test('the style sheet is compressed for browsers that accept it, and the same for all', async () => {
    const get = (encoding?: string) =>
      house.server.inject({
        url: '/assets/patchbay.css',
        ...(encoding !== undefined && { headers: { 'accept-encoding': encoding } }),
      });
    const plain = await get();
    const compressed = await get('br, gzip;q=0.8');
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.equal(compressed.headers.vary, 'accept-encoding');
    assert.equal(gunzipSync(compressed.rawPayload).toString(), plain.body);
    assert.ok(compressed.rawPayload.length * 3 < plain.rawPayload.length);
    for (const refused of ['gzip;q=0', 'br', 'gzip; q=0.0, br'])
      assert.equal((await get(refused)).headers['content-encoding'], undefined, refused);
  });

  test('what the API docs load is compressed, and kept by browsers until it changes', async () => {
    const { body: page } = await house.server.inject('/docs');
    const addresses = [...page.matchAll(/(?:href|src|data-document)="(\/(?:docs\/static|assets\/docs|openapi)[^"]*)"/g)]
      .map(([, address = '']) => address)
      .filter((address) => address !== '/openapi.json');
    assert.equal(new Set(addresses).size, 5, addresses.join());
    for (const url of addresses) {
      const get = (headers = {}, address = url) => house.server.inject({ url: address, headers });
      const compressed = await get({ 'accept-encoding': 'gzip' });
      assert.equal(compressed.headers['content-encoding'], 'gzip', url);
      assert.equal(compressed.headers['cache-control'], 'public, max-age=31536000, immutable', url);
      assert.equal(compressed.headers.vary, 'accept-encoding', url);
      const [path = ''] = url.split('?');
      const plain = await get({}, path);
      assert.equal(plain.headers['cache-control'], 'public, max-age=300', path);
      assert.equal(gunzipSync(compressed.rawPayload).toString(), plain.body, path);
      assert.doesNotMatch(String((await get({}, `${path}?v=another`)).headers['cache-control']), /immutable/, path);
      const again = await get({ 'if-none-match': String(plain.headers.etag) }, path);
      assert.deepEqual([again.statusCode, again.body], [304, ''], path);
    }
  });

  test('the API docs list every operation by group, for readers without JavaScript, too', async () => {
    const { paths, tags = [] } = (await house.server.inject('/openapi.json')).json();
    const { body: page } = await house.server.inject('/docs');
    for (const [path, operations] of Object.entries<Record<string, { tags: string[]; summary: string }>>(paths))
      for (const [method, { tags: [tag] = [] }] of Object.entries(operations)) {
        assert.ok(page.includes(`<b>${method.toUpperCase()}</b> <code>${path}</code>`), `${method} ${path}`);
        assert.match(page, new RegExp(`<h2>${tag}\\b`));
      }
    for (const { description } of tags) assert.ok(page.includes(String(html`<small>${description}`)), description);
  });

  test('an empty JSON body is an empty object, and a POST without a body needs no content type', async () => {
    const empty = await house.server.inject({
      method: 'POST',
      url: '/api/test/echo',
      headers: { 'content-type': 'application/json' },
    });
    assert.deepEqual(empty.json(), { body: {} });
    const none = await house.server.inject({ method: 'POST', url: '/api/test/echo' });
    assert.equal(none.statusCode, 200);
  });

  test('a bug is a bare 500, and only the log has details, under the request id', async () => {
    const response = await house.server.inject({ url: '/api/test/bug' });
    assert.equal(response.statusCode, 500);
    assert.ok(!response.body.includes('vault'));
    const { requestId } = response.json();
    assert.ok(house.lines.some(({ level, fields }) => level === 'error' && JSON.stringify(fields).includes(requestId)));
  });

  test('a webhook scope keeps the raw bytes, whatever the content type', async () => {
    const payload = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png']) {
      const response = await house.server.inject({
        method: 'POST',
        url: '/api/test/raw',
        headers: { 'content-type': type },
        payload,
      });
      assert.equal(response.json().bytes, '7bff007d', type);
    }
    const large = await house.server.inject({
      method: 'POST',
      url: '/api/test/raw',
      headers: { 'content-type': 'text/plain' },
      payload: Buffer.alloc(256 * 1024 + 1),
    });
    assert.equal(large.statusCode, 413);
  });

  test('a forwarded address only counts behind a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7, 198.51.100.9' };
    const trusted = await house.server.inject({ url: '/api/test/address', headers, remoteAddress: '127.0.0.1' });
    assert.equal(trusted.json().address, '198.51.100.9');
    const stranger = await house.server.inject({ url: '/api/test/address', headers, remoteAddress: '198.51.100.1' });
    assert.equal(stranger.json().address, '198.51.100.1');
  });

  test('only the configured origins may call from a browser, with credentials', async () => {
    const preflight = (origin: string) =>
      house.server.inject({
        method: 'OPTIONS',
        url: '/api/team',
        headers: { origin, 'access-control-request-method': 'PATCH' },
      });
    const allowed = await preflight('https://app.example.com');
    assert.equal(allowed.statusCode, 204);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://app.example.com');
    assert.equal(allowed.headers['access-control-allow-credentials'], 'true');
    assert.match(String(allowed.headers['access-control-allow-methods']), /PATCH/);
    const other = await preflight('https://evil.example.com');
    assert.equal(other.headers['access-control-allow-origin'], undefined);
  });

  test('a cache is told that a response of the API depends on the origin, whichever it was for', async () => {
    for (const origin of ['https://app.example.com', 'https://evil.example.com', undefined])
      for (const method of ['GET', 'OPTIONS'] as const) {
        const headers = { ...(origin && { origin }), 'access-control-request-method': 'GET' };
        const answer = await house.server.inject({ method, url: '/api/team', headers });
        assert.equal(answer.headers.vary, 'origin', `${method} ${origin}`);
      }
  });

  test('no page can be read from such an origin, because pages contain the CSRF token', async () => {
    for (const url of ['/sign-in', '/settings/members', '/apis', '/nope']) {
      const { headers } = await house.server.inject({ url, headers: { origin: 'https://app.example.com' } });
      const shared = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(shared, [], url);
    }
  });

  test('a page of such an origin can use the proxy, and see whose response it got', async () => {
    const url = '/api/integrations/sandbox/proxy/me';
    const headers = { origin: 'https://app.example.com' };
    const asking = { ...headers, 'access-control-request-method': 'DELETE' };
    const preflight = await house.server.inject({ method: 'OPTIONS', url, headers: asking });
    assert.equal(preflight.statusCode, 204);
    assert.match(String(preflight.headers['access-control-allow-methods']), /DELETE/);
    const refused = await house.server.inject({ url, headers });
    assert.equal(refused.headers['access-control-allow-origin'], 'https://app.example.com');
    const readable = String(refused.headers['access-control-expose-headers']).split(', ');
    for (const name of ['patchbay-from', 'retry-after', 'x-request-id']) assert.ok(readable.includes(name), name);
  });

  test('a caller with too many requests is told how long to wait, and others are not affected', async (context) => {
    // The clock stands still, so the caller's limit doesn't refill while the requests are handled.
    const still = await createTestApp('sqlite', { env: { PATCHBAY_RATE_LIMIT: '1000' }, clock: createTestClock() });
    context.after(() => still.close());
    const { member, admin } = await still.createTeam('busy');
    const answers = await Promise.all(
      Array.from({ length: 103 }, () => still.server.inject({ url: '/api/team', headers: member.headers })),
    );
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    // Fifty requests may come at once, and 16 more wait for up to a second.
    assert.equal(refused.length, 103 - 50 - 16);
    assert.match(String(refused[0]?.headers['retry-after']), /^\d+$/);
    assert.equal((await still.server.inject({ url: '/api/team', headers: admin.headers })).statusCode, 200);
  });

  test('/openapi.json is OpenAPI 3.1 and says who may call each route', async () => {
    const document = (await house.server.inject({ url: '/openapi.json' })).json();
    assert.match(document.openapi, /^3\.1/);
    for (const [path, operations] of Object.entries<Record<string, { security: unknown[]; summary: string }>>(
      document.paths,
    )) {
      for (const [method, operation] of Object.entries(operations)) {
        assert.ok(Array.isArray(operation.security), `${method} ${path}`);
        assert.ok(operation.summary, `${method} ${path}`);
      }
    }
  });

  test('/docs loads nothing from elsewhere', async () => {
    const page = await house.server.inject({ url: '/docs/', headers: { accept: 'text/html' } });
    assert.equal(page.statusCode, 200);
    assert.doesNotMatch(page.body, /(?:src|href)="https?:/);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    for (const [, path] of page.body.matchAll(/<(?:link|script) [^>]*(?:src|href)="(?!data:)([^"]+)"/g)) {
      const asset = await house.server.inject({ url: new URL(path ?? '', 'http://x/docs/').pathname });
      assert.equal(asset.statusCode, 200, path);
    }
  });

  test('the server does not start if a route does not declare who may use it', async () => {
    const open: Routes = (server) => void server.get('/api/test/undeclared', () => 'hello');
    await assert.rejects(
      createTestApp('sqlite', { routes: [open] }),
      /don't declare who may use them: GET \/api\/test\/undeclared/,
    );
  });

  test('a door without a secret is hidden, or says that it is not configured', async () => {
    const cron: Routes = (server) =>
      void server.get(
        '/api/test/cron',
        { config: { access: { door: 'cron', whenUnset: 'unavailable' } }, schema: { hide: true } },
        () => ({ ran: true }),
      );
    const closed = await createTestApp('sqlite', {
      env: { DEBUG_TOKEN: '', METRICS_TOKEN: '', CRON_SECRET: '' },
      routes: [cron],
    });
    for (const url of ['/api/debug/db', '/metrics']) {
      for (const token of ['undefined', 'null', '', SECRETS.DEBUG_TOKEN]) {
        const hidden = await closed.server.inject({ url, headers: { authorization: `Bearer ${token}` } });
        const { requestId: _one, ...body } = hidden.json();
        const { requestId: _other, ...unknown } = (await closed.server.inject({ url: '/api/no/such/path' })).json();
        assert.deepEqual(body, unknown);
      }
    }
    const unavailable = await closed.server.inject({
      url: '/api/test/cron',
      headers: { authorization: 'Bearer undefined' },
    });
    assert.equal(unavailable.statusCode, 503);
    assert.equal(unavailable.json().code, 'cron.not_configured');
    await closed.close();
  });
});
