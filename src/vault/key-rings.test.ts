import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestApp } from '../../test/harness/app.ts';
import { makeTestDirectory } from '../../test/harness/test-directory.ts';
import { useStage } from '../../test/harness/use-stage.ts';
import { changeKeptValues, createNewId, type Database, Secret, systemClock } from '../platform/index.ts';
import { keyCommands } from './key-commands.ts';
import { extendKeyRing } from './key-ring.ts';
import { createKeyRings } from './key-rings.ts';
import { createVault } from './vault.ts';

describe('a key ring in the data directory', () => {
  const house = useStage(() => createTestApp('sqlite'));
  let directory: ReturnType<typeof makeTestDirectory>;
  before(() => {
    directory = makeTestDirectory('patchbay-rings-');
  });
  after(() => directory.remove());

  /** Creates the rings of one process. `keys` is the ring as it was when the process started. */
  const open = (keys: string, isKept = true) =>
    createKeyRings({ keys: new Secret(keys), keptIn: isKept ? directory.path : null });

  const keep = (keys: string): void =>
    void changeKeptValues(directory.path, (kept) => ({ ...kept, PATCHBAY_KEYS: keys, OTHER: 'value' }));

  test('gets a new first key from one process, which another one finds when it reads the ring again', () => {
    const keys = extendKeyRing(undefined);
    keep(keys);
    const [command, service] = [open(keys), open(keys)];
    assert.deepEqual(command.extend?.().ids, ['k2', 'k1']);
    assert.deepEqual(command.current().ids, ['k2', 'k1']);
    assert.deepEqual(service.current().ids, ['k1']);
    assert.deepEqual(service.reload().ids, ['k2', 'k1']);
    assert.deepEqual(service.current().ids, ['k2', 'k1']);
    assert.deepEqual(service.extend?.().ids, ['k3', 'k2', 'k1']);
    const kept = changeKeptValues(directory.path, (values) => values);
    assert.equal(kept['OTHER'], 'value');
  });

  test('is left alone if the operator has set the ring', () => {
    const keys = extendKeyRing(undefined);
    keep(extendKeyRing(keys));
    const rings = open(keys, false);
    assert.equal(rings.extend, null);
    assert.deepEqual(rings.reload().ids, ['k1']);
  });

  test('gets no second new key because a rotation was interrupted', async () => {
    const keys = house.config.keys?.reveal() ?? '';
    keep(keys);
    const { database } = house.app;
    const rotate = async (using: Database) => {
      const rings = open(String(changeKeptValues(directory.path, (values) => values)['PATCHBAY_KEYS']));
      const vault = createVault({ database, rings, clock: systemClock, newId: createNewId(systemClock) });
      const command = keyCommands(async () => ({ database: using, rings, vault })).find(
        ({ name }) => name === 'keys rotate',
      );
      const { json } = (await command?.run({ progress: () => undefined } as never)) ?? assert.fail();
      return json;
    };
    const interrupt = async () => Promise.reject(new Error('killed'));
    await assert.rejects(rotate({ ...database, transaction: interrupt }), /killed/);
    const { n } = (await database.get<{ n: number }>('select count(*) as n from team_keys')) ?? assert.fail();
    assert.deepEqual(await rotate(database), { wrapped: n, key: 'k2', unneeded: ['k1'] });
    assert.deepEqual(await rotate(database), { wrapped: n, key: 'k3', unneeded: ['k2', 'k1'] });
  });
});
