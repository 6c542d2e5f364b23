import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { GATHER_MS, openAlertStage } from '../harness/alert-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const TEAMS_AT_ONCE = 50;
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
