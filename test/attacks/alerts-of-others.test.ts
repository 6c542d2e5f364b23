import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../src/platform/index.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { GATHER_MS, openAlertStage } from '../harness/alert-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const TEAMS_AT_ONCE = 50;
/** How many alerts about endpoints are looked at together. */
const ALERTS_AT_ONCE = 500;
const SECOND_MS = 1_000;

onEachEngine('alerts of a team', (engine) => {
  const stage = useStage(() => openAlertStage(engine));

  /** Looks once a second, as the service does. */
  const tellSoon = async (): Promise<void> => {
    await stage.look();
    stage.clock.advance(GATHER_MS);
    for (let second = 0; second < 3; second++) {
      await stage.look();
      stage.clock.advance(SECOND_MS);
    }
    await stage.send();
  };

  test('don’t wait for teams that are being erased, which can take days', async () => {
    const { app, clock } = stage;
    await app.database.transaction(async (tx) => {
      for (let index = 0; index < TEAMS_AT_ONCE; index++) {
        const erased = await createTeam(app, tx, `erased-${index}`);
        const values = [erased?.id ?? '', clock.now()];
        await tx.run('update teams set erasing_at = $2 where id = $1', values);
        await tx.run('insert into event_alert_teams (team_id, due_at) values ($1, $2)', values);
      }
    });
    clock.advance(SECOND_MS);
    const { breakConnection, mails } = await stage.newTeam();
    await breakConnection('b');
    await tellSoon();
    assert.equal(mails().length, 1);
  });

  test('about an endpoint end once it is on again, however many others are off', async () => {
    const { database } = stage.app;
    const { team, admin, open, ask } = await stage.newTeam();
    const url = '/api/events/endpoints';
    const payload = { url: 'https://receiver.example/' };
    const made = await stage.server.inject({ method: 'POST', url, headers: admin.headers, payload });
    const { id } = made.json();
    const off = { inactive_reason: 'gone', inactive_since: stage.clock.now() };
    const row = (await database.get<Record<string, Value>>('select * from event_endpoints where id = $1', [id])) ?? {};
    await database.transaction(async (tx) => {
      await tx.run(`update event_endpoints set inactive_reason = 'gone', inactive_since = $2 where id = $1`, [
        id,
        stage.clock.now(),
      ]);
      // Those come first: the ids of others begin with the time.
      const others = Array.from({ length: ALERTS_AT_ONCE }, (_, index) => `00${index}`);
      for (const other of others) {
        const values = { ...row, ...off, id: other };
        const places = Object.keys(values).map((_, index) => `$${index + 1}`);
        await tx.run(
          `insert into event_endpoints (${Object.keys(values).join(', ')}) values (${places.join(', ')})`,
          Object.values(values),
        );
      }
      for (const subject of [...others, id])
        await tx.run(
          `insert into event_alerts (id, team_id, kind, subject, opened_at, text, reason, told_in)
            values ($1, $2, 'endpoint', $1, $3, $4, 'gone', 'an earlier notice')`,
          [subject, team.id, stage.clock.now() + (subject === id ? 1 : 0), row['url'] ?? ''],
        );
    });
    assert.equal((await ask('PATCH', `${url}/${id}`, { active: true })).status, 200);
    for (let looks = 0; looks < 3; looks++) await stage.look();
    assert.ok(!(await open()).some((alert) => 'subject' in alert && alert.subject === id));
  });

  test('about a connection are opened however many calls were missed', async () => {
    const { team, breakConnection, open, change, mails } = await stage.newTeam();
    await change({ missed: { mail: true, slack: false } });
    await stage.app.database.transaction(async (tx) => {
      for (let index = 0; index < 1_000; index++)
        await tx.run(
          `insert into event_alerts (id, team_id, kind, subject, opened_at, told_in)
            values ($1, $2, 'missed', $1, $3, 'an earlier notice')`,
          [`${engine}-${index}`, team.id, stage.clock.now() - SECOND_MS],
        );
    });
    await breakConnection('c');
    await tellSoon();
    assert.equal((await open())[0]?.kind, 'reconnect');
    assert.match(mails()[0] ?? '', /needs to be reconnected/);
  });
});
