import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { exchangeBytes, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const KEPT = {
  'x-rate-limit': '7',
  location: 'https://api.example/next',
  'x-help': 'https://api.example/help',
  'content-type': 'text/html',
  'content-disposition': 'attachment; filename="a.html"',
  'www-authenticate': 'Bearer realm="api", error="insufficient_scope"',
  etag: '"e"',
  'retry-after': '3',
  vary: 'accept',
  sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
};

/** Whatever a browser, or a server between it and us, would do in our name. */
const NOT_RETURNED = {
  'Accept-CH': 'Sec-CH-UA-Full-Version-List',
  'Accept-CH-Lifetime': '86400',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Origin': '*',
  'Activate-Storage-Access': 'load',
  'Ad-Auction-Signals': '{}',
  'Alt-Svc': 'h3=":443"',
  'Attribution-Reporting-Register-Source': '{}',
  'CDN-Cache-Control': 'max-age=99',
  'Clear-Site-Data': '"*"',
  'Cloudflare-CDN-Cache-Control': 'max-age=99',
  'Content-Security-Policy-Report-Only': 'default-src *; report-uri https://evil.example',
  'Critical-CH': 'Sec-CH-UA-Full-Version-List',
  'Cross-Origin-Embedder-Policy': 'unsafe-none',
  'Cross-Origin-Opener-Policy': 'unsafe-none',
  'Cross-Origin-Opener-Policy-Report-Only': 'same-origin; report-to="g"',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Document-Policy': 'js-profiling',
  'Document-Policy-Report-Only': 'js-profiling',
  'Edge-Control': 'cache-maxage=1d',
  'Feature-Policy': 'camera *',
  'HX-Redirect': '/api/team',
  'Integrity-Policy': 'blocked-destinations=(script)',
  NEL: '{"report_to":"g","max_age":2592000,"include_subdomains":true,"success_fraction":1}',
  'No-Vary-Search': 'params',
  'Observe-Browsing-Topics': '?1',
  'Onion-Location': 'http://evil.onion',
  'Origin-Agent-Cluster': '?0',
  'Permissions-Policy': 'camera=*',
  'Public-Key-Pins': 'pin-sha256="x"; max-age=2592000',
  Refresh: '0;url=https://evil.example',
  'Report-To': '{"group":"g","max_age":2592000,"endpoints":[{"url":"https://evil.example/r"}]}',
  'Reporting-Endpoints': 'g="https://evil.example/r"',
  'Sec-Session-Registration': '(ES256);path="/start"',
  'Secure-Session-Registration': '(ES256);path="/start"',
  'Service-Worker-Allowed': '/',
  'Set-Cookie': ['session=evil', 'other=1'],
  'Set-Login': 'logged-out',
  SourceMap: 'https://evil.example/map',
  'Speculation-Rules': '"https://evil.example/rules.json"',
  'Supports-Loading-Mode': 'credentialed-prerender',
  'Surrogate-Control': 'max-age=99',
  'Timing-Allow-Origin': '*',
  'Turbo-Location': '/api/team',
  'Use-As-Dictionary': 'match="/*"',
  'X-Accel-Redirect': '/private/secrets.json',
  'X-DNS-Prefetch-Control': 'on',
  'X-Frame-Options': 'ALLOWALL',
  'X-Hop': 'yes',
  'X-Inertia-Location': '/api/team',
  'X-LiteSpeed-Location': '/private/secrets.json',
  'X-Permitted-Cross-Domain-Policies': 'all',
  'X-Reproxy-URL': 'http://169.254.169.254/',
  'X-Sendfile': '/etc/passwd',
  'X-XSS-Protection': '0',
};

const REPLACED = {
  'Cache-Control': ['public, max-age=99', 'no-store'],
  'Content-Security-Policy': ['default-src *', "default-src 'none'; sandbox"],
  'Patchbay-From': ['patchbay', 'provider'],
  'Referrer-Policy': ['unsafe-url', 'no-referrer'],
  'X-Content-Type-Options': ['none', 'nosniff'],
} as const;

describe("a provider's headers", () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(() => stage.api.reset());

  /** Answers with exactly this text. */
  const speak = (text: string): void =>
    stage.api.answer((request, response) => {
      request.resume();
      response.socket?.end(Buffer.from(text, 'latin1'));
    });

  const ask = async (method = 'GET') => {
    const { headers } = await stage.connected();
    const lines = [
      ['Host', 'localhost:3000'],
      ['Authorization', headers.authorization],
    ] as const;
    const answers = await exchangeBytes(stage.port, printRequest(stage.proxied('x'), { method, headers: lines }));
    const [answer] = answers;
    assert.ok(answer && answers.length === 1, JSON.stringify(answers));
    return answer;
  };

  test('that act in our name are not returned, and the others are', async () => {
    const { headers } = await stage.connected();
    const replaced = Object.entries(REPLACED).map(([name, [theirs]]) => [name, theirs]);
    stage.api.answer((_request, response) => {
      response
        .writeHead(200, {
          ...{ ...KEPT, ...NOT_RETURNED, ...Object.fromEntries(replaced) },
          ...{ Connection: 'X-Hop, keep-alive', 'Patchbay-Version': '1', 'X-Request-Id': 'theirs' },
        })
        .end('<script>alert(1)</script>');
    });
    const answer = await stage.call(stage.proxied('page'), { headers });
    for (const [name, value] of Object.entries(KEPT)) assert.equal(answer.headers[name], value, name);
    for (const name of Object.keys(NOT_RETURNED)) assert.equal(answer.headers[name.toLowerCase()], undefined, name);
    for (const [name, [, ours]] of Object.entries(REPLACED)) assert.equal(answer.headers[name.toLowerCase()], ours);
    assert.notEqual(answer.headers['patchbay-version'], '1');
    assert.notEqual(answer.headers['x-request-id'], 'theirs');
  });

  for (const challenge of ['Basic realm="Patchbay"', 'Digest realm="x", nonce="y"', 'Bearer, Basic realm="x"', 'NTLM'])
    test(`can't make a browser ask for a password in our name: ${challenge}`, async () => {
      const { headers } = await stage.connected();
      stage.api.answer((_request, response) => response.writeHead(401, { 'www-authenticate': challenge }).end());
      const answer = await stage.call(stage.proxied('x'), { headers });
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, undefined]);
    });

  for (const status of [204, 304])
    test(`announce no body where there is none: ${status}`, async () => {
      speak(`HTTP/1.1 ${status} X\r\nContent-Length: 60\r\nETag: "e"\r\n\r\n`);
      const answer = await ask();
      assert.deepEqual([answer.status, answer.headers['content-length'], answer.body], [status, undefined, '']);
      assert.equal(answer.headers['etag'], '"e"');
    });

  test('say how long the body would be for HEAD', async () => {
    speak('HTTP/1.1 200 X\r\nContent-Length: 123456\r\nContent-Type: text/csv\r\n\r\n');
    const answer = await ask('HEAD');
    assert.deepEqual([answer.status, answer.headers['content-length'], answer.body], [200, '123456', '']);
    assert.equal(answer.headers['content-type'], 'text/csv');
  });

  test('of interim responses are not returned', async () => {
    speak('HTTP/1.1 103 X\r\nX-Early: yes\r\n\r\nHTTP/1.1 200 OK\r\nX-Late: yes\r\nContent-Length: 2\r\n\r\nok');
    const answer = await ask();
    assert.deepEqual([answer.status, answer.headers['x-late'], answer.body], [200, 'yes', 'ok']);
    assert.equal(answer.headers['x-early'], undefined);
  });

  test("can't change the protocol", async () => {
    speak('HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nabc');
    assert.equal((await ask()).status, 502);
  });

  test('name one type: of two, the first', async () => {
    speak('HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}');
    assert.equal((await ask()).headers['content-type'], 'application/json');
  });
});
