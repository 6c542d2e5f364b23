import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { keepTrying } from './keep-trying.ts';

describe('a write that must not be lost', () => {
  const away = () => new DatabaseUnavailable('The connection was lost.');

  /** Opens a write that fails with these errors, one after the other, and then succeeds. */
  const open = (...failures: Error[]) => {
    const seen = { tries: 0 };
    const write = async (): Promise<string> => {
      const failure = failures[seen.tries++];
      if (failure) throw failure;
      return 'written';
    };
    return { seen, write };
  };

  test('is tried again while the database is unavailable', async () => {
    const { seen, write } = open(away());
    assert.equal(await keepTrying(60_000, write), 'written');
    assert.equal(seen.tries, 2);
  });

  test('is given up when the time for it has run out', async () => {
    const { seen, write } = open(away());
    await assert.rejects(keepTrying(0, write), DatabaseUnavailable);
    assert.equal(seen.tries, 1);
  });

  test('is not tried again if it failed for any other reason', async () => {
    const { seen, write } = open(new Error('refused'));
    await assert.rejects(keepTrying(60_000, write), /refused/);
    assert.equal(seen.tries, 1);
  });
});
