import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine("a link that is followed while the operator ends its user's sessions", (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  test('connects nothing, because its connect began when the link was made', async () => {
    await putCustomer(flow.stage, 'moment');
    const leaving = asCustomer('moment', 'leaving');
    const { connectUrl } = await flow.begin(leaving);
    // From here on, the team's OAuth app is read again. The link has been checked by then.
    flow.clock.advance(1_000);
    const held = holdAnswer(flow.stage.app.database, 'all', 'from provider_credentials');
    const { pathname, search } = new URL(connectUrl);
    const following = flow.get(`${pathname}${search}`);
    await held.answered;
    const url = '/api/operator/teams/moment/sessions?user=leaving';
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR })).statusCode, 204);
    flow.clock.advance(1);
    held.release();
    const followed = await following;
    assert.equal(followed.statusCode, 302, followed.body);
    const before = flow.exchanges();
    const arrived = await flow.arrive(flow.consent(String(followed.headers.location)));
    assert.equal(arrived.statusCode, 400, arrived.body);
    assert.equal(arrived.json().code, 'integrations.state_invalid');
    assert.equal(flow.exchanges(), before, 'A token request was made.');
    assert.equal(await flow.statusOf(asCustomer('moment')), 'disconnected');
  });
});
