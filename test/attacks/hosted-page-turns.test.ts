import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currentWork, type Outbound } from '../../src/platform/index.ts';
import { cookiesOf, expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, putCustomer } from '../harness/customers.ts';
import { useStage } from '../harness/use-stage.ts';

/** Remembers whose slots each outgoing request takes. */
const startStage = async () => {
  const owners: string[] = [];
  let reach: Outbound;
  const outbound: Outbound = {
    request(request) {
      owners.push(currentWork().owner);
      return reach.request(request);
    },
    open: (request) => reach.open(request),
  };
  const flow = await startConnectStage('sqlite', { outbound });
  reach = flow.simulator.outbound;
  return { ...flow, owners };
};

describe('what customers do on the hosted page', () => {
  const flow = useStage(startStage);

  test("takes the team's own slots at providers, not those that all strangers share", async () => {
    await putCustomer(flow.stage, 'acme');
    const session = await createConnectSession(flow.stage, 'acme');
    const begun = await flow.begin(session);
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }));
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const post = (url: string, payload: string, cookie = '') =>
      flow.stage.server.inject({ method: 'POST', url, headers: { ...form, cookie }, payload });
    const ticket = new URL(session.page, 'http://localhost').searchParams.get('ticket');
    const cookie = cookiesOf((await post('/connect', `ticket=${ticket}`)).headers['set-cookie']);
    const list = await flow.get('/connect', { cookie });
    const path = /"(\/connect\/github\/disconnect[^"]+)"/.exec(list.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const page = await flow.get(path, { cookie });
    const csrfToken = /name="_csrf" value="([^"]+)"/.exec(page.body)?.[1];
    flow.owners.length = 0;
    const done = await post(path, `_csrf=${csrfToken}`, cookie);
    assert.equal(done.statusCode, 303, done.body);
    const teams = await flow.stage.app.database.all<{ id: string }>("select id from teams where key = 'acme'");
    const [team] = teams;
    assert.deepEqual(flow.owners, [team?.id, team?.id], 'The revocation, and the look whether it has ended the grant.');
  });
});
