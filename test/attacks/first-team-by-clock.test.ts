import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;

onEachEngine('a team that is created while the clock is set back', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));

  const ask = async (url: string, headers: Record<string, string>, payload?: object) => {
    const answer = await stage.server.inject({ url, headers, ...(payload && { method: 'POST', payload }) });
    assert.ok(answer.statusCode < 300, answer.body);
    return answer.json();
  };

  test('does not take the place of the first', async () => {
    const admin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    const endpoints = '/api/operator/events/endpoints';
    const { team: first } = await ask('/api/team', admin);
    await ask(endpoints, OPERATOR, { url: 'https://operator.example/hook' });
    clock.advance(-HOUR_MS);
    const { team } = await stage.createTeam('later');
    clock.advance(2 * HOUR_MS);
    assert.ok(team.id < first.id);
    assert.equal((await ask('/api/team', admin)).team.id, first.id, 'The admin token acts in another team.');
    assert.equal((await ask(endpoints, OPERATOR)).endpoints.length, 1, "The operator's endpoints are gone.");
    await assert.rejects(stage.app.erasure.beginAny(COMMAND_LINE, first.id), { code: 'teams.first_team' });
    assert.equal((await stage.app.erasure.beginAny(COMMAND_LINE, team.id))?.id, team.id);
  });
});
