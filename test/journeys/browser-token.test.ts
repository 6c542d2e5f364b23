import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';

test('a person who was invited signs in, makes an access token on the page and uses it', async () => {
  const house = await createTestApp('sqlite');
  const { admin } = await house.createTeam('acme');
  const invited = await house.server.inject({
    method: 'POST',
    url: '/api/members',
    headers: admin.headers,
    payload: { email: 'new@acme.example' },
  });
  const link = new URL(invited.json().signInLink).pathname;
  assert.match((await house.server.inject({ url: link })).body, /new@acme\.example[\s\S]*acme/);
  const signedIn = await house.server.inject({ method: 'POST', url: link });
  const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
  const home = await house.server.inject({ url: '/', headers: { cookie } });
  const csrf = /name="_csrf" value="([^"]+)"/.exec(home.body)?.[1] ?? '';
  const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  const refused = await house.server.inject({ method: 'POST', url: '/access-token', headers: form, payload: '' });
  assert.equal(refused.statusCode, 403);
  const page = await house.server.inject({
    method: 'POST',
    url: '/access-token',
    headers: form,
    payload: `_csrf=${encodeURIComponent(csrf)}`,
  });
  const [token] = /pb_[\w-]+/.exec(page.body) ?? [];
  const used = await house.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } });
  assert.equal(used.json().team.name, 'acme');
  await house.close();
});
