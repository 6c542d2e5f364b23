import type { App } from '../../src/app.ts';
import { Secret } from '../../src/platform/index.ts';

const AT_ONCE = 1_000;

export type SealableCall = { id: string; accountId: string; externalId: string };

export const SEALABLE = 'id, account_id as "accountId", external_id as "externalId"';

/** Adds numbers that can be decrypted to calls that were generated without any. */
export const sealNumbers = async (
  { database, vault }: App,
  teamId: string,
  calls: readonly SealableCall[],
): Promise<void> => {
  const party = new Secret(JSON.stringify({ kind: 'number', value: '+15551230001' }));
  for (let begin = 0; begin < calls.length; begin += AT_ONCE) {
    const sealed = await Promise.all(
      calls.slice(begin, begin + AT_ONCE).map(async ({ id, accountId, externalId }) => {
        const record = `calls/${accountId}/${externalId}`;
        const from = await vault.seal(teamId, { record, field: 'from_party' }, party);
        return [id, from, await vault.seal(teamId, { record, field: 'to_party' }, party)];
      }),
    );
    await database.transaction(async (tx) => {
      for (const values of sealed)
        await tx.run('update calls set from_party = $2, to_party = $3 where id = $1', values);
    });
  }
};
