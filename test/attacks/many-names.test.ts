import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

/** Nearly as many as a body may have. */
const MANY = 9_900;
const LONG = 'x'.repeat(500_000);

const named = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X${index}`, value]));

onOneEngine('names that the sender makes up', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const team = prepare(() => stage.createTeam('acme'));

  const send = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const response = await stage.server.inject({ method, url, headers: team.admin.headers, payload });
    const problem = expectProblem(toAnswer(response), 400, url);
    const { errors } = response.json<{ errors: { path: string; message: string }[] }>();
    return { size: response.body.length, code: problem.code, errors };
  };

  test('are counted before any of them is looked at', async () => {
    const many = named(MANY, '0');
    const account = { provider: 'twilio', secrets: ['x'.repeat(32)] };
    const refused = [
      await send('POST', '/api/integrations/sandbox/connect', { params: many }),
      await send('PUT', '/api/integrations/gitlab/credentials', { clientId: 'a', clientSecret: 'b', params: many }),
      await send('POST', '/api/telephony/accounts', { ...account, api: many }),
    ];
    for (const { code, errors, size } of refused) {
      assert.equal(code, 'http.invalid_input');
      assert.deepEqual(
        errors.map(({ message }) => message),
        ['must NOT have more than 20 properties'],
      );
      assert.ok(size < 1_000, `${size} bytes`);
    }
  });

  test('do not decide how long the response gets', async () => {
    const { errors, code } = await send('POST', '/api/integrations/sandbox/connect', { params: named(20, '0') });
    assert.deepEqual([code, errors.length], ['integrations.params_invalid', 20]);
    for (const payload of [{ params: { [LONG]: 'a' } }, { [LONG]: 'a' }]) {
      const { size } = await send('POST', '/api/integrations/sandbox/connect', payload);
      assert.ok(size < 1_000, `${size} bytes`);
    }
  });
});
