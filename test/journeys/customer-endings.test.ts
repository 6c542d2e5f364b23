import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, type ConnectStage, cookiesOf, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const PRODUCT = 'https://app.example.com';

type Answer = Awaited<ReturnType<ConnectStage['get']>>;

const expectProductPage = (answer: Answer, status: number, title: RegExp): string => {
  assert.equal(answer.statusCode, status, answer.body);
  assert.match(answer.body, title);
  assert.match(answer.body, /<title>[^<]+ · Shipshape<\/title>/);
  assert.doesNotMatch(answer.body, /Patchbay|sign-in|Sign in|href="\/integrations/);
  return answer.body;
};

onOneEngine("the end of a customer's flow", (engine) => {
  const flow = useStage(() =>
    startConnectStage(engine, { env: { PATCHBAY_BRAND_NAME: 'Shipshape', PATCHBAY_RETURN_ORIGINS: PRODUCT } }),
  );

  const createSession = async (team: string, options: { returnTo?: string } = {}) => {
    await putCustomer(flow.stage, team);
    return createConnectSession(flow.stage, team, { user: 'ann', ...options });
  };
  const openPage = async (team: string): Promise<string> => {
    const { page } = await createSession(team);
    const answer = await flow.stage.server.inject({
      method: 'POST',
      url: '/connect',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URL(page, PRODUCT).search.slice(1),
    });
    return cookiesOf(answer.headers['set-cookie']);
  };
  const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]+/, '');
  const follow = async (connectUrl: string): Promise<string> => {
    const sent = await flow.get(pathOf(connectUrl), BROWSER);
    assert.equal(sent.statusCode, 302, sent.body);
    return String(sent.headers['location']);
  };

  test('says that it is connected, in the product’s name', async () => {
    const { authorizationUrl, cookie } = await flow.begin(await createSession('connected'));
    const answer = await flow.get(flow.consent(authorizationUrl), { ...BROWSER, cookie });
    assert.match(expectProductPage(answer, 200, /GitHub is connected/), /go back to Shipshape/);
  });

  test('says that access was declined, in the product’s name', async () => {
    const { state, cookie } = await flow.begin(await createSession('declined'));
    const path = `/api/integrations/github/callback?error=access_denied&state=${state}`;
    const answer = await flow.get(path, { ...BROWSER, cookie });
    expectProductPage(answer, 403, /Connecting GitHub failed/);
  });

  test('says that only the product can finish what a link began, and names no way to sign in', async () => {
    const { connectUrl } = await flow.begin(await createSession('parked'));
    const answer = await flow.get(flow.consent(await follow(connectUrl)), BROWSER);
    assert.match(expectProductPage(answer, 200, /GitHub isn’t connected yet/), /The team of parked/);
    assert.equal(await flow.statusOf(asCustomer('parked')), 'disconnected');
  });

  test('leads to the hosted page if it is open in this browser', async () => {
    const cookie = await openPage('open');
    const { connectUrl } = await flow.begin(await createSession('open'));
    const answer = await flow.get(flow.consent(await follow(connectUrl)), { ...BROWSER, cookie });
    assert.match(expectProductPage(answer, 200, /isn’t connected yet/), /href="\/connect">Back to your accounts</);
    const lost = await flow.get('/api/integrations/github/callback?code=1&state=x', { ...BROWSER, cookie });
    assert.match(expectProductPage(lost, 400, /Something went wrong/), /href="\/connect"/);
  });

  test('leads back to the product if it comes too late or twice', async () => {
    const returnTo = `${PRODUCT}/integrations`;
    const back = /href="https:\/\/app\.example\.com\/integrations">Back to Shipshape</;
    const session = await createSession('late');
    const { connectUrl } = await flow.begin(session, 'github', { returnTo });
    const callback = flow.consent(await follow(connectUrl));
    assert.equal((await flow.get(callback, BROWSER)).statusCode, 303);
    assert.match(expectProductPage(await flow.get(callback, BROWSER), 409, /already used/), back);
    assert.match(expectProductPage(await flow.get(pathOf(connectUrl), BROWSER), 410, /already used/), back);
    const late = await flow.begin(session, 'github', { returnTo });
    const tooLate = flow.consent(late.authorizationUrl);
    flow.clock.advance(601_000);
    const answer = await flow.get(tooLate, { ...BROWSER, cookie: late.cookie });
    assert.match(expectProductPage(answer, 400, /ten minutes/), back);
  });

  test('is where the session says, unless the flow says otherwise', async () => {
    const session = await createSession('returning', { returnTo: `${PRODUCT}/done` });
    const places = [
      [{}, `${PRODUCT}/done?`],
      [{ returnTo: `${PRODUCT}/other` }, `${PRODUCT}/other?`],
    ] as const;
    for (const [options, place] of places) {
      const { connectUrl } = await flow.begin(session, 'github', options);
      const arrived = await flow.get(flow.consent(await follow(connectUrl)), BROWSER);
      assert.equal(arrived.statusCode, 303, arrived.body);
      assert.ok(String(arrived.headers['location']).startsWith(`${place}provider=github&outcome=confirm&attempt=`));
    }
  });

  test('is not shown to people who sign in here', async () => {
    const { member } = await flow.stage.createTeam('insiders');
    const { authorizationUrl, cookie, connectUrl } = await flow.begin(member);
    const parked = await flow.get(flow.consent(await follow(connectUrl)), BROWSER);
    assert.match(parked.body, /Sign in to finish/);
    const connected = await flow.get(flow.consent(authorizationUrl), { ...BROWSER, cookie });
    assert.match(connected.body, /href="\/integrations\/github">Continue</);
    assert.match((await flow.get(pathOf(connectUrl), BROWSER)).body, /· Patchbay<\/title>/);
  });
});
