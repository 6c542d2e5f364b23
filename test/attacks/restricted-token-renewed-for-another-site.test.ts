// Attack: a restricted token is for one site of a consent. Its request is refused with 401, and while the access token is
// renewed, the same person consents again, for another site. The request must not be repeated there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const site = (name: string) => ({ id: `cloud-${name}`, name: `Site ${name}`, url: `https://${name}.example` });

onOneEngine('a restricted token for one site', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { atlassian: {} } }));
  /** From now on, Atlassian lists this site. */
  const list = (name: string): void => {
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', { status: 200, answer: [site(name)] }, { times: 1_000 });
  };

  for (const whose of ['restricted token', 'admin'] as const)
    test(`has nothing repeated at another site (${whose})`, async () => {
      const { admin } = await flow.stage.createTeam(`sites-${whose.slice(0, 5)}`);
      const connect = async () => {
        const begun = await flow.begin(admin, 'atlassian');
        const path = flow.consent(begun.authorizationUrl, { account: `ann-${whose}` });
        expectConnected(await flow.arrive(path, { cookie: begun.cookie }), 'atlassian');
      };
      list('one');
      await connect();
      flow.clock.advance(120_000);
      const headers =
        whose === 'admin'
          ? admin.headers
          : await makeToken(flow.stage.server, admin.headers, {
              allow: [{ provider: 'atlassian', connection: 'default', host: 'jira' }],
            });
      const calls = () => flow.simulator.requestsOf('atlassian', 'site_call').map(({ address }) => address);
      const refreshes = () => flow.simulator.requestsOf('atlassian', 'refresh').length;
      const [before, earlier] = [refreshes(), calls().length];
      const answer = Promise.withResolvers<void>();
      flow.simulator.fail('atlassian', 'site_call', { status: 401, answer: { message: 'Unauthorized' } });
      flow.simulator.fail('atlassian', 'refresh', { until: answer.promise });
      const asking = flow
        .get('/api/integrations/atlassian/proxy/of-the-site', { ...headers, 'patchbay-host': 'jira' })
        .then((given) => given);
      await waitUntil('the token is renewed', async () => refreshes() > before, 10_000);
      list('two');
      flow.clock.advance(10);
      await connect().finally(answer.resolve);
      const given = await asking;
      const sent = calls().slice(earlier);
      assert.ok(
        sent.every((address) => !address.includes('cloud-two')),
        `${given.statusCode}: ${sent.join(' ')}`,
      );
    });
});
