import { type Database, Secret, systemClock } from '../../src/platform/index.ts';
import { deliveryIdOf } from '../../src/telephony/processing/delivery-payload.ts';
import { createKeyRings, createVault } from '../../src/vault/index.ts';
import { SECRETS } from './app.ts';

/** The ids that a service with the keys of the tests must give these deliveries of an account. */
export const listDeliveryIds = async (
  database: Database,
  account: { id: string },
  digests: readonly string[],
): Promise<string[]> => {
  const rings = createKeyRings({ keys: new Secret(SECRETS.PATCHBAY_KEYS), keptIn: null });
  const vault = createVault({ database, rings, clock: systemClock, newId: () => 'unused' });
  const owner = await database.get<{ teamId: string }>(
    'select team_id as "teamId" from telephony_accounts where id = $1',
    [account.id],
  );
  const ids: string[] = [];
  for (const digest of digests) ids.push(await deliveryIdOf(vault, owner?.teamId ?? '', digest));
  return ids;
};
