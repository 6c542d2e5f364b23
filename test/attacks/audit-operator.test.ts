import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('the audit page of a customer’s team', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test('shows what the operator did as the operator’s doing, and for whom', async () => {
    await putCustomer(stage, 'audited');
    const inject = async (method: 'POST' | 'PATCH', url: string, payload: object, user?: string) => {
      const answer = await stage.server.inject({ method, url, payload, ...asCustomer('audited', user) });
      assert.ok(answer.statusCode < 300, answer.body);
      return answer.json();
    };
    const { signInLink } = await inject('POST', '/api/members', { email: 'boss@audited.example', role: 'admin' });
    await inject('PATCH', '/api/team', { name: 'By itself' });
    await inject('PATCH', '/api/team', { name: 'For Ann' }, 'ann');
    const signedIn = await stage.server.inject({ method: 'POST', url: new URL(signInLink).pathname });
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    const page = await stage.server.inject({ url: '/settings/audit', headers: { cookie } });
    const rows = page.body.split('<tr>').map((row) => {
      const [, , who = '', what = ''] = row.split('<td').map((cell) => cell.replace(/^[^>]*>|<br>.*|<[^>]+>/gs, ''));
      return [who.trim(), what.trim()];
    });
    assert.deepEqual(rows.slice(-5), [
      ['boss@audited.example', 'Signed in'],
      ['Operator, for ann', 'Changed the team settings'],
      ['Operator', 'Changed the team settings'],
      ['Operator', 'Invited a member'],
      ['Operator', 'Created the team'],
    ]);
  });
});
