import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BROWSER, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const CONNECT = '/api/integrations/github/connect';

onOneEngine('a connect link on a sibling domain', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let session: Session;
  let bearer: Record<string, string>;

  before(async () => {
    const team = await flow.stage.createTeam('acme');
    session = await openSession(flow.stage, team.member.user);
    bearer = team.member.headers;
  });

  const follow = (site: string, headers: Record<string, string>) =>
    flow.get(`${CONNECT}?scopes=repo`, {
      ...BROWSER,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': site,
      ...headers,
    });

  test('asks first, whatever the browser says about where it came from', async () => {
    for (const site of ['same-site', 'cross-site', 'Same-Site', 'same-origin, same-site', 'something-new', '']) {
      const answer = await follow(site, session.headers);
      assert.equal(answer.statusCode, 200, site);
      assert.equal(answer.headers.location, undefined, site);
      assert.equal(answer.headers['set-cookie'], undefined, site);
      assert.match(answer.body, /href="\/api\/integrations\/github\/connect\?scopes=repo&amp;team=[\w-]+"/, site);
    }
  });

  test('goes through from our own pages, from the address bar, and with an access token', async () => {
    for (const site of ['same-origin', 'none'])
      assert.equal((await follow(site, session.headers)).statusCode, 302, site);
    assert.equal((await follow('same-site', bearer)).statusCode, 302);
  });
});
