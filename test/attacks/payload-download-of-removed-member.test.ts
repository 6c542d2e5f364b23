// Attack: a member downloads a large payload slowly, and is removed meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a member who downloads a large payload', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test('gets no more of it once they were removed', async () => {
    const { app, server } = stage;
    const { team, admin, member } = await stage.createTeam('large');
    const payload = JSON.stringify('a'.repeat(3 * 2 ** 20));
    const [id] = await app.database.transaction((tx) => app.events.record(tx, providerEvent(team.id, { payload })));
    const begin = async ({ user }: typeof member) => {
      const reader = { teamId: team.id, userId: user.id };
      const pieces = (await app.events.showPayload(reader, `evt_${id}`)).iterator();
      const { value } = await pieces.next();
      return { first: String(value), pieces };
    };
    const readOn = async ({ first, pieces }: Awaited<ReturnType<typeof begin>>): Promise<string> => {
      let text = first;
      for await (const piece of pieces) text += piece;
      return text;
    };
    const [kept, ended] = [await begin(admin), await begin(member)];
    const url = `/api/members/${member.user.id}`;
    assert.equal((await server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204);
    await assert.rejects(readOn(ended), { status: 401 });
    assert.equal(await readOn(kept), payload);
  });
});
