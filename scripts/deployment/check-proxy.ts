import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { cookieFrom } from '../../test/harness/sessions.ts';
import { ADMIN } from '../../test/harness/telephony-serve.ts';
import { type StoryAccount, signChapter, tellStory } from '../../test/harness/telephony-stories.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { askProxy, CLIENT_ADDRESS, follow } from './ask-proxy.ts';

/**
 * How long an event may take to reach a live page, which reads calls once a second. A proxy that buffers holds it back
 * much longer.
 */
const MOST_EVENT_MS = 2_000;
const UPLOAD_BYTES = 20 * 1024 * 1024;
/** How long the live page is quiet before the check. Longer than its heartbeat. */
const QUIET_MS = 20_000;

const JSON_TYPE = { 'content-type': 'application/json' };
const SPOOFED = { 'x-forwarded-for': '203.0.113.9' };

/** Makes a link that signs somebody in. Returns its path. */
export type MakeLink = () => Promise<string>;

/** Checks the response to a webhook, and how long after it the live page shows the call. */
const checkLivePage = async (port: number, account: StoryAccount, makeLink: MakeLink): Promise<string> => {
  const signedIn = await askProxy(port, await makeLink(), { method: 'POST' });
  assert.equal(signedIn.status, 303, signedIn.body);
  const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
  const page = follow(port, `/calls/live?since=${Date.now()}`, { cookie });
  await waitUntil('the live page begins', () => page.status === 200, 5_000);
  await sleep(QUIET_MS);
  const before = page.heard.length;
  const [chapter] = tellStory('missed').chapters;
  assert.ok(chapter);
  const { method, url, headers, payload } = signChapter(account, chapter);
  const begun = performance.now();
  const heard = await askProxy(port, url, { method, headers, body: payload });
  assert.equal(heard.status, 200, heard.body);
  assert.match(heard.body, /<Response>/);
  await waitUntil('the live page shows the call', () => page.heard.slice(before).includes('data:'), 5_000);
  const tookMs = Math.round(performance.now() - begun);
  page.stop();
  assert.ok(tookMs < MOST_EVENT_MS, `The live page took ${tookMs} ms.`);
  return `a signed webhook is verified, and ${tookMs} ms later it is on a page that was quiet for ${QUIET_MS / 1_000} s`;
};

/**
 * Checks that a large upload reaches Patchbay. The response must be Patchbay's own, because no account is connected
 * that the upload could be sent to.
 */
const checkUpload = async (port: number): Promise<string> => {
  const upload = { method: 'POST', headers: ADMIN, body: Buffer.alloc(UPLOAD_BYTES) };
  const { status, headers } = await askProxy(port, '/api/integrations/github/proxy/uploads', upload);
  assert.equal(status, 409);
  assert.equal(headers['patchbay-from'], 'patchbay');
  const refused = await askProxy(port, '/api/webhooks/telephony/voice', { ...upload, body: Buffer.alloc(300 * 1024) });
  assert.equal(refused.status, 413);
  assert.match(refused.headers['content-type'] ?? '', /problem\+json/);
  return 'uploads of 20 MiB come through, and what is too large is refused by Patchbay itself';
};

const checkClientAddress = async (port: number): Promise<string> => {
  const body = JSON.stringify({ name: `team at ${Date.now()}` });
  const changed = await askProxy(port, '/api/team', {
    method: 'PATCH',
    headers: { ...ADMIN, ...JSON_TYPE, ...SPOOFED },
    body,
  });
  assert.equal(changed.status, 200, changed.body);
  const audit = await askProxy(port, '/api/audit?limit=1', { headers: ADMIN });
  assert.equal(JSON.parse(audit.body).events[0].address, CLIENT_ADDRESS);
  return `the audit log has the client's address (${CLIENT_ADDRESS}), and not one that the client made up`;
};

/** Checks what people rely on, through the proxy. Returns what was found, one line each. */
export const checkProxy = async (port: number, account: StoryAccount, makeLink: MakeLink): Promise<string[]> => {
  await waitUntil(
    'the proxy responds',
    () =>
      askProxy(port, '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    15_000,
  );
  return [await checkUpload(port), await checkClientAddress(port), await checkLivePage(port, account, makeLink)];
};
