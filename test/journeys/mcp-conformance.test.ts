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

const COMMON = [
  ...['tools-list', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
  ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress', 'server-sse-multiple-streams'],
  ...['dns-rebinding-protection', 'json-schema-2020-12'],
];

/** What passes. docs/agents.md says why the rest does not apply. */
const PASSED: Record<string, readonly string[]> = {
  '2025-11-25': [...COMMON, 'server-initialize', 'ping', 'server-session-lifecycle', 'server-sse-polling'],
  '2026-07-28': [
    ...COMMON,
    ...['sep-2164-resource-not-found', 'http-header-validation', 'tasks-status-notifications'],
    ...['missing-input-response', 'unsupported-methods', 'ignore-extra-params', 'validate-input'].map(
      (name) => `input-required-result-${name}`,
    ),
  ],
};

onOneEngine('the conformance suite of the protocol', (engine) => {
  const stage = useStage(() => openConformanceStage(engine));

  for (const [revision, expected] of Object.entries(PASSED))
    test(`accepts the handler, ${revision}`, async () => {
      const { passed, text } = await runServerScenarios(stage.withFixtures, revision);
      assert.deepEqual(passed.sort(), [...expected].sort(), text);
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
