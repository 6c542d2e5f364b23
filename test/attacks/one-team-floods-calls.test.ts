import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProcessor } from '../../src/telephony/processing/processor.ts';
import { onEachEngine } from '../harness/databases.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { tellStory } from '../harness/telephony-stories.ts';
import { useStage } from '../harness/use-stage.ts';

const FLOOD = 300;
/** The larger of the two engines’ batches. */
const BATCH = 64;

onEachEngine('a team whose calls come faster than they can be assembled', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** A phone of a new team, with calls that just rang. */
  const ring = async (calls: number) => {
    const { team, account } = await stage.newTeam();
    const chapters = Array.from({ length: calls }, () => tellStory('missed').chapters.slice(0, 1)).flat();
    return storeUnprocessed(stage.app, { teamId: team.id, id: account.id, accountId: account.accountId }, chapters);
  };

  /** Adds the calls of two other teams and then the flood. Returns the deliveries in the order they were opened. */
  const process = async (options: { mostWaiting?: number } = {}) => {
    const [few, some] = [await ring(3), await ring(5)];
    const flood = await ring(FLOOD);
    const { context } = stage.app.telephony;
    const opened: string[] = [];
    const open: typeof context.vault.open = (teamId, place, sealed) => {
      if (place.record.startsWith('deliveries/')) opened.push(place.record.slice('deliveries/'.length));
      return context.vault.open(teamId, place, sealed);
    };
    const processor = createProcessor(
      { ...context, vault: { ...context.vault, open }, onUnknown: () => undefined },
      options,
    );
    for (const row of [...few, ...some, ...flood]) processor.add(row);
    await processor.drain();
    return { opened, others: [...few, ...some].map(({ id }) => id), flood: flood.map(({ id }) => id) };
  };

  test('delays no other team’s', async () => {
    const { opened, others, flood } = await process();
    assert.equal(opened.length, FLOOD + others.length);
    for (const id of others) assert.ok(opened.indexOf(id) < BATCH, `one was number ${opened.indexOf(id)}`);
    // Of a team, the newest come first.
    assert.ok(opened.indexOf(flood.at(-1) ?? '') < BATCH);
    assert.ok(opened.indexOf(flood[0] ?? '') > FLOOD - BATCH);
  });

  test('pushes only its own out of memory', async () => {
    const { opened, others } = await process({ mostWaiting: 100 });
    assert.ok(opened.length < FLOOD, 'The rest is found in the database.');
    for (const id of others) assert.ok(opened.includes(id));
  });
});
