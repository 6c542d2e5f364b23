import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type App, buildApp } from '../../src/app.ts';
import type { Server } from '../../src/http/index.ts';
import { createTestApp, createTestLog } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createEmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('the log of a restored service', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  const run = async (args: string[], env: Record<string, string>): Promise<void> => {
    const { code, stderr } = await runCommand(args, env);
    assert.equal(code, 0, stderr);
  };

  test('has everything for whoever has read on in the original', async (context) => {
    const { team, admin } = await stage.createTeam('acme');
    const happen = (app: App, ...subjects: string[]) =>
      app.database.transaction((tx) =>
        app.events.record(
          tx,
          ...subjects.map((subject) => ({
            ...{ teamId: team.id, type: 'connection.needs_reconnect' as const, subject },
            data: { id: subject, provider: 'acme', name: 'Acme', account: null, lastError: null },
          })),
        ),
      );
    const follow = async (server: Server, after: string): Promise<{ ids: string[]; nextCursor: string }> => {
      const answer = await server.inject({ url: `/api/events?limit=100${after}`, headers: admin.headers });
      assert.equal(answer.statusCode, 200, answer.body);
      const { events, nextCursor } = answer.json();
      return { ids: events.map(({ data }: { data: { id: string } }) => data.id), nextCursor };
    };

    await happen(stage.app, 'before');
    const { nextCursor: early } = await follow(stage.server, '');
    const file = join(stage.config.data, 'copy.zst');
    await run(['backup', file], settingsOf(stage));
    await happen(stage.app, 'lost-1', 'lost-2', 'lost-3');
    const { nextCursor: late } = await follow(stage.server, '');

    const place = await createEmptyPlace(engine);
    context.after(place.remove);
    await run(['restore', file], place.env);
    await run(['resume'], place.env);
    const { dataDirectory: data, url: databaseUrl } = place.settings;
    const copy = buildApp({ ...stage.config, data, databaseUrl }, { log: createTestLog().log, threads: false });
    const server = await copy.createServer();
    try {
      const after = ['after-1', 'after-2', 'after-3', 'after-4'];
      await happen(copy, ...after);
      for (const cursor of [early, late]) assert.deepEqual((await follow(server, `&after=${cursor}`)).ids, after);
      assert.deepEqual((await follow(server, '')).ids, ['before', ...after]);
      await copy.notices.alerts.look();
      assert.equal(
        (await copy.notices.alerts.list({ teamId: team.id, role: 'admin' })).alerts.length,
        5,
        'Alerts are opened across the gap.',
      );
    } finally {
      await server.close();
      await copy.close();
    }
  });
});
