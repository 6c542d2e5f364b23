import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { openSession } from '../harness/sessions.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('input to a page', () => {
  const stage = useStage(() => openTelephonyStage('postgresql'));
  const team = prepare(() => stage.newTeam());
  const admin = prepare(() => openSession(stage, team.admin.user));

  const get = (url: string) => stage.server.inject({ url, headers: admin.headers });
  const send = (url: string, payload: string) =>
    stage.server.inject({ method: 'POST', url, headers: { ...admin.headers, 'content-type': FORM }, payload });
  const post = (url: string, form: Record<string, string>) =>
    send(url, new URLSearchParams({ ...form, _csrf: admin.csrfToken }).toString());

  test('is refused if a form contains NUL, as in JSON, and fails nowhere', async () => {
    const { account, number, member } = team;
    const numberForm = { number: number.number, account: account.id };
    const forms: [url: string, form: Record<string, string>][] = [
      ['/settings', { name: 'a\0b', timeZone: 'UTC', recordingDays: '', payloadDays: '30' }],
      ['/settings/members', { email: 'new@nul.example', name: 'a\0b', role: 'member' }],
      [`/settings/members/${member.user.id}`, { name: 'a\0b', role: 'member' }],
      ['/settings/tokens', { name: 'a\0b', expiresInDays: '7' }],
      [`/settings/telephony/numbers/${number.id}`, { ...numberForm, label: 'a\0b' }],
      [`/settings/telephony/numbers/${number.id}`, { ...numberForm, account: 'a\0b' }],
    ];
    for (const [url, form] of forms) assert.equal((await post(url, form)).statusCode, 400, url);
  });

  test('from a stranger is limited: a large form is not even read', async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `field${index}=`).join('&');
    for (const url of ['/unsubscribe/nonsense', `/sign-in/${'a'.repeat(32)}_${'b'.repeat(43)}`]) {
      const answer = await stage.server.inject({
        method: 'POST',
        url,
        headers: { 'content-type': FORM },
        payload: names,
      });
      assert.equal(answer.statusCode, 413, url);
    }
  });

  test('names a time zone in one spelling only, because each one cached costs fifty kilobytes', async () => {
    const change = { method: 'PATCH', url: '/api/team', headers: team.admin.headers } as const;
    const answer = await stage.server.inject({ ...change, payload: { timeZone: 'eUrOpE/bErLiN' } });
    const kept = (await stage.server.inject({ url: '/api/team', headers: team.admin.headers })).json().team.timeZone;
    assert.ok(answer.statusCode === 400 || kept === 'Europe/Berlin', `${answer.statusCode}, kept as ${kept}`);
  });

  test('names a recipient no longer than an address can be', async () => {
    const address = `a@${'b'.repeat(3_000)}.example`;
    assert.equal(
      (await post('/settings/report', { day: 'monday', hour: '8', who: 'listed', addresses: address })).statusCode,
      400,
    );
  });

  test('is not repeated when the address contains an error', async () => {
    const words = 'Your account is locked, call 555 0100';
    const query = new URLSearchParams({ provider: 'github', outcome: 'failed', error: words });
    const { statusCode, body } = await get(`/integrations/github?${query}`);
    assert.equal(statusCode, 200);
    assert.ok(!body.includes(words));
  });

  test('keeps a caller’s name inside its row of the live list', async () => {
    await stage.server.listen({ host: '127.0.0.1', port: 0 });
    const origin = `http://127.0.0.1:${(stage.server.server.address() as AddressInfo).port}`;
    const stream = await fetch(`${origin}/calls/live`, { headers: admin.headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await team.line.rings(newCallSid(), { From: 'sip:a\rretry: 99999999\rid: 9@caller.example' });
    let text = '';
    await waitUntil('the row is there', async () => {
      text += (await reader?.read())?.value ?? '';
      return text.includes('</tr>');
    });
    await reader?.cancel();
    // A browser ends a line at any of the three.
    for (const line of text.split(/\r\n|\r|\n/)) assert.match(line, /^$|^data: |^event: call$|^id: \d+$|^retry: 2000$/);
  });
});
