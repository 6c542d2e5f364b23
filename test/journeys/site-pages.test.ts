import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { BROWSER, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, openHostedPage, putCustomer, ticketOf } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PAGE = '/integrations/atlassian/connections/default/site';

const csrfIn = (page: string): string => /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
const actionIn = (page: string): string =>
  (/<form method="post" action="([^"]*site[^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
const optionsIn = (page: string): string[] => [...page.matchAll(/<option value="([^"]*)"[^>]*>/g)].map(([all]) => all);

onOneEngine('the page where a site is chosen', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { atlassian: {} } }));
  let made = 0;

  beforeEach(() =>
    list([
      { id: 'one', name: 'Acme <i>' },
      { id: 'two', name: 'Globex' },
    ]),
  );

  const list = (answer: unknown): void => {
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', { status: 200, answer }, { times: 1_000 });
  };
  const connect = async (person: { headers: Headers }) => {
    const { authorizationUrl, cookie } = await flow.begin(person, 'atlassian');
    const answer = await flow.arrive(flow.consent(authorizationUrl, { account: 'ann' }), { cookie });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const submit = (url: string, headers: Headers, fields: Headers) =>
    flow.stage.server.inject({
      method: 'POST',
      url,
      headers: { ...BROWSER, ...FORM, ...headers },
      payload: new URLSearchParams(fields).toString(),
    });
  const signIn = async () => {
    const { member } = await flow.stage.createTeam(`pages-${engine}-${++made}`);
    const { headers } = await openSession(flow.stage, member.user);
    return { member, at: { ...BROWSER, ...headers } };
  };

  test('is reached from the connection, shows what is listed, and saves the choice', async () => {
    const { member, at } = await signIn();
    await connect(member);
    const provider = await flow.get('/integrations/atlassian', at);
    assert.match(provider.body, /<dt>Site<\/dt><dd>Not chosen yet<\/dd>/);
    assert.match(provider.body, new RegExp(`class="button" href="${PAGE}">Choose the site<`));
    const page = await flow.get(PAGE, at);
    assert.equal(page.statusCode, 200, page.body);
    assert.match(page.body, /Acme &lt;i/);
    assert.deepEqual(optionsIn(page.body), ['<option value="one">', '<option value="two">']);
    const saved = await submit(PAGE, at, { _csrf: csrfIn(page.body), site: 'two' });
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, '/integrations/atlassian?done=site']);
    const after = await flow.get(String(saved.headers.location), at);
    assert.match(after.body, /Saved\. Requests now go there\./);
    assert.match(after.body, /<dt>Site<\/dt><dd>Globex<\/dd>/);
    assert.match(after.body, new RegExp(`class="button plain" href="${PAGE}">Change the site<`));
    assert.deepEqual(optionsIn((await flow.get(PAGE, at)).body), [
      '<option value="one">',
      '<option value="two" selected>',
    ]);
  });

  test('refuses a form from elsewhere and a site that is not listed', async () => {
    const { member, at } = await signIn();
    await connect(member);
    assert.equal((await submit(PAGE, at, { site: 'two' })).statusCode, 403);
    const token = csrfIn((await flow.get(PAGE, at)).body);
    const refused = await submit(PAGE, at, { _csrf: token, site: 'three' });
    assert.equal(refused.statusCode, 422);
    assert.match(refused.body, /role="alert"[\s\S]+isn(?:'|&#39;|’)t one of the sites[\s\S]+<select id="site"/);
    assert.match((await flow.get('/integrations/atlassian', at)).body, /Not chosen yet/);
    const { at: stranger } = await signIn();
    assert.equal((await flow.get(PAGE, stranger)).headers.location, '/integrations/atlassian');
  });

  test('says what to do if nothing is listed, or the provider is away', async () => {
    const { member, at } = await signIn();
    await connect(member);
    list([]);
    assert.match((await flow.get(PAGE, at)).body, /lists no site for this account\.[\s\S]+reconnect/);
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', 'server_error');
    const away = await flow.get(PAGE, at);
    assert.equal(away.statusCode, 503);
    assert.match(away.body, /having problems or is unreachable/);
  });

  test("works the same on the product's own page", async () => {
    const key = `hosted-${engine}`;
    await putCustomer(flow.stage, key);
    const session = await createConnectSession(flow.stage, key, { providers: ['atlassian'] });
    await connect(session);
    const { cookie } = await openHostedPage(flow.stage, ticketOf(session.page));
    const at = { ...BROWSER, cookie };
    const home = await flow.get('/connect', at);
    const link = /href="(\/connect\/atlassian\/site[^"]+)"/.exec(home.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(home.body, />Choose the site</);
    const page = await flow.get(link, at);
    assert.equal(page.statusCode, 200, page.body);
    assert.equal(optionsIn(page.body).length, 2);
    const action = actionIn(page.body);
    assert.equal((await submit(action, at, { _csrf: 'forged', site: 'one' })).statusCode, 403);
    const saved = await submit(action, at, { _csrf: csrfIn(page.body), site: 'one' });
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, '/connect'], saved.body);
    const after = await flow.get('/connect', at);
    assert.match(after.body, /The site is <strong>Acme &lt;i/);
    assert.match(after.body, />Change the site</);
    list([]);
    assert.match((await flow.get(link, at)).body, /lists no site for this account[\s\S]+Reconnect Atlassian/);
  });
});
