import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPersonBrowser } from '../harness/agent-consent.ts';
import { registerClient } from '../harness/agent-grant.ts';
import { openConformanceStage, runServerScenarios, startConformance } from '../harness/conformance-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { findFreePort } from '../harness/free-port.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Scenarios about what the handler doesn't offer, because its tools need none of it. docs/agents.md has the reasons. */
const NOT_OFFERED: Record<string, RegExp> = {
  '2025-11-25':
    /^(?:logging-|completion-|resources-|prompts-|elicitation-|tools-call-(?:with-logging|sampling|elicitation)|server-s(?:ession|se))/,
  '2026-07-28':
    /^(?:completion-|resources-|prompts-|input-required-result-|tasks-|http-custom-header|server-stateless$|caching$)/,
};

onOneEngine('the conformance suite of the protocol', (engine) => {
  const stage = useStage(() => openConformanceStage(engine));

  for (const [revision, notOffered] of Object.entries(NOT_OFFERED))
    test(`accepts the handler, ${revision}`, async () => {
      const { passed, failed, text } = await runServerScenarios(stage.withFixtures, revision);
      assert.deepEqual(
        failed.filter((name) => !notOffered.test(name)),
        [],
        text,
      );
      assert.ok(passed.length >= 14, passed.join(', '));
    });

  test('accepts the OAuth server', async () => {
    const port = await findFreePort();
    const { json } = await registerClient(stage.server, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const { said, ended } = startConformance([
      ...['authorization', '--url', stage.issuer, '--resource', `${stage.issuer}/mcp`],
      ...['--client-id', json.client_id, '--port', String(port)],
    ]);
    const findAddress = () => /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(said.text)?.[0];
    await waitUntil('the suite names an address', async () => findAddress() !== undefined);
    const { cookie } = await openSession(stage, stage.admin.user);
    const person = openPersonBrowser(cookie, { base: stage.issuer });
    const back = await person.decide(findAddress() ?? '', { can: 'status' });
    await fetch(back);
    await ended;
    assert.match(said.text, /Total: 3 passed, 0 failed/, said.text);
  });
});
