import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { User } from '../../src/teams/index.ts';
import { createTestApp } from '../harness/app.ts';
import { makeLinkPath, openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title><script>alert(1)</script>',
  '</dd></dl><form action=https://evil.example>',
  '<!--',
  '&lt;script&gt;',
];

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Both spellings of an escape are fine. */
const spell = (page: string): string =>
  page
    .replaceAll('&amp;', '&#38;')
    .replaceAll('&lt;', '&#60;')
    .replaceAll('&gt;', '&#62;')
    .replaceAll('&quot;', '&#34;')
    .replaceAll('&#039;', '&#39;')
    .replaceAll('&apos;', '&#39;');

type Shown = { statusCode: number; headers: Record<string, unknown>; body: string };

const expectSafePage = ({ headers, body }: Shown, what: string): void => {
  assert.match(String(headers['content-type']), /^text\/html; charset=utf-8/, what);
  const policy = String(headers['content-security-policy']);
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
    assert.ok(policy.includes(rule), `${what}: ${rule}`);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:/, what);
  assert.equal(headers['x-frame-options'], 'DENY', what);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['cache-control'], 'no-store', what);
  assert.ok(headers['referrer-policy'], what);
  assert.doesNotMatch(body, /javascript:/i, what);
  // What is within quotes is text: a name in a field.
  const tags = body.replaceAll(/="[^"]*"/g, '=""');
  assert.doesNotMatch(tags, /<script(?![^>]*\bsrc=)|<[^>]+\son\w+\s*=|<[^>]+\sstyle\s*=/i, what);
};

describe('a page', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  let user: User;
  let other: User;

  before(async () => {
    const { admin, member } = await stage.createTeam('hostile');
    user = admin.user;
    other = member.user;
  });

  const rename = async (team: string, email: string | null, name: string) => {
    const { database } = stage.app;
    await database.run('update teams set name = $1 where id = $2', [team, user.teamId]);
    await database.run('update users set email = $1, name = $2 where id = $3', [email, name, user.id]);
  };

  /** Every page that shows a name. */
  const show = async (session: Session): Promise<Record<string, Shown>> => {
    const { server } = stage;
    const { headers } = session;
    return {
      'the page of the link': await server.inject(await makeLinkPath(stage, user)),
      'the page of who is signed in': await server.inject({ url: '/sign-in', headers }),
      'the welcome': await server.inject({ url: '/', headers }),
      'a page in the frame': await server.inject({ url: '/calls', headers }),
      'the refusal of a second user': await server.inject({
        method: 'POST',
        url: await makeLinkPath(stage, other),
        headers,
      }),
    };
  };

  for (const hostile of HOSTILE) {
    test(`shows a name as text and nothing else: ${hostile}`, async () => {
      const session = await openSession(stage, user);
      for (const [email, name] of [
        [`${hostile}@x`, 'name'],
        [null, hostile],
      ] as const) {
        await rename(`team ${hostile}`, email, name);
        for (const [what, page] of Object.entries(await show(session))) {
          expectSafePage(page, what);
          assert.ok(spell(page.body).includes(escaped(hostile)), `${what} shows it: ${page.body}`);
          assert.ok(!page.body.includes(hostile), `${what} shows it bare`);
        }
      }
      await rename('team', 'admin@hostile.example', 'name');
    });
  }

  test('with a refusal does not repeat the request', async () => {
    for (const url of [
      '/nowhere/<script>alert(1)</script>',
      '/sign-in/<script>alert(1)</script>',
      '/sign-in?returnTo=<script>alert(1)</script>',
      '/sign-in/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
      '/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    ]) {
      const page = await stage.server.inject({ url, headers: { accept: 'text/html' } });
      expectSafePage(page, url);
      assert.doesNotMatch(page.body, /alert/, url);
    }
  });
});
