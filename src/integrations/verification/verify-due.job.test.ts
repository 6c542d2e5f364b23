import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openConnectionRows } from '../../../test/harness/connection-rows.ts';
import { onOneEngine } from '../../../test/harness/databases.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { IntegrationsContext } from '../context.ts';
import { claimVerification } from '../due/verification-store.ts';
import type { Verifier } from './verifier.ts';
import { handleVerifyDue, MOST_PER_RUN } from './verify-due.job.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;

onOneEngine('connections that are due for verification', (engine) => {
  const stage = useStage(() => openConnectionRows(engine));
  afterEach(() => stage.clear());

  /** One run, with a provider that has to be asked only about those. Returns the names of all that were looked at. */
  const run = async (isAsked: (name: string) => boolean, verifies = true): Promise<string[]> => {
    const { database } = stage;
    const names: string[] = [];
    const verify: Verifier['verify'] = async ({ name }) => {
      names.push(name);
      const rows = { teamId: 'own', id: name, generation: 1, verifyDueAt: NOW };
      await claimVerification(database, rows, NOW + HOUR_MS);
      await claimVerification(database, { ...rows, teamId: 'other' }, NOW + HOUR_MS);
      return isAsked(name);
    };
    const context = { database, clock: { now: () => NOW }, log: { warn: () => undefined }, verifies };
    await handleVerifyDue(context as unknown as IntegrationsContext, { verify, doubt: async () => undefined })();
    return names;
  };
  const putMany = async (provider: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index++)
      await stage.put(`${provider}-${index}`, { provider, verifyDueAt: NOW }, index < 7 ? 'own' : 'other');
  };

  test('are limited to so many requests per provider in one run, and the next one goes on', async () => {
    await putMany('acme', 2 * MOST_PER_RUN + 5);
    await putMany('beta', 3);
    const counts: number[] = [];
    for (let runs = 0; runs < 4; runs++) counts.push((await run(() => true)).length);
    assert.deepEqual(counts, [MOST_PER_RUN + 3, MOST_PER_RUN, 5, 0]);
  });

  test('do not count if there was nothing to ask', async () => {
    await putMany('acme', 3 * MOST_PER_RUN);
    assert.equal((await run(() => false)).length, 3 * MOST_PER_RUN);
  });

  test('are left alone while verification is turned off', async () => {
    await putMany('acme', 3);
    assert.deepEqual(await run(() => true, false), []);
    assert.equal((await run(() => true)).length, 3);
  });
});
