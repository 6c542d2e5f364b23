import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { atTime, readLines, writeLines } from '../harness/archive-lines.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createEmptyPlace, type EmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { CALLER, COLLEAGUE, newCallSid, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';

onEachEngine('a service that is restored from before an erasure', (engine) => {
  let stage: TelephonyStage;
  let place: EmptyPlace;
  let file: string;
  let later: string;

  beforeEach(async () => {
    stage = await openTelephonyStage(engine);
    place = await createEmptyPlace(engine);
    file = join(stage.config.data, 'copy.zst');
    later = `${file}.later`;
  });

  afterEach(async () => {
    await place.remove();
    await stage.close();
  });

  const backUp = async (path: string): Promise<void> => {
    const { code, stderr } = await runCommand(['backup', path], settingsOf(stage));
    assert.equal(code, 0, stderr);
  };

  test('erases again what a later backup says was erased', async () => {
    const [kept, gone] = [await stage.newTeam(), await stage.newTeam()];
    const [erased, other] = [newCallSid(), newCallSid()];
    await kept.line.rings(erased);
    await kept.line.rings(other, { From: COLLEAGUE });
    await stage.app.telephony.settle();
    await backUp(file);
    await stage.app.telephony.numbers.erase(kept.team.id, COMMAND_LINE, CALLER);
    await stage.app.erasure.beginAny(COMMAND_LINE, gone.team.id);
    await backUp(later);
    const restoreAndErase = () => runCommand(['restore', file, '--erasures', later, '--json'], place.env);
    const swapped = await runCommand(['restore', later, '--erasures', file], place.env);
    assert.match(swapped.stderr, /Name a later one for --erasures/);
    const whole = readLines(later);
    writeLines(later, whole.slice(0, -1));
    assert.match((await restoreAndErase()).stderr, /later: The file is incomplete/);
    writeLines(later, whole);
    const { code, stdout, stderr } = await restoreAndErase();
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).erased, { teams: 1, calls: 1 });
    const database = openDatabase(place.settings, () => undefined);
    const calls = await database.all<{ key: string }>('select external_id as key from calls');
    assert.deepEqual(
      calls.map(({ key }) => key),
      [other],
    );
    const payloads = await database.all('select id from deliveries where call_key = $1 and payload is not null', [
      erased,
    ]);
    assert.deepEqual(payloads, []);
    const refused = await database.all<{ key: string }>('select call_key as key from erased_calls');
    assert.deepEqual(
      refused.map(({ key }) => key),
      [erased],
    );
    const ending = await database.all<{ id: string }>('select id from teams where erasing_at is not null');
    assert.deepEqual(
      ending.map(({ id }) => id),
      [gone.team.id],
    );
    await database.close();
    const again = await runCommand(['restore', 'erasures', later, '--json'], place.env);
    assert.deepEqual(JSON.parse(again.stdout).erased, { teams: 1, calls: 0 });
  });

  test('says if a later backup does not know everything that was erased since the one that is restored', async () => {
    await stage.newTeam();
    await backUp(file);
    writeLines(later, atTime(readLines(file), '2026-12-24T00:00:00.000Z'));
    writeLines(file, atTime(readLines(file), '2026-11-24T00:00:00.000Z'));
    const known = 'What was erased before 2026-11-24T00:00:00.000Z is no longer known';
    const restoreWith = () => runCommand(['restore', file, '--erasures', later], place.env);
    const whole = await restoreWith();
    assert.equal(whole.code, 0, whole.stderr);
    assert.ok(!whole.stdout.includes(known), whole.stdout);
    const alone = await runCommand(['restore', 'erasures', later], place.env);
    assert.ok(alone.stdout.includes(known), alone.stdout);
    await place.remove();
    place = await createEmptyPlace(engine);
    writeLines(file, atTime(readLines(file), '2026-11-23T23:59:59.999Z'));
    const older = await restoreWith();
    assert.ok(older.stdout.includes(known), older.stdout);
  });
});
