import type { Settings } from '../service/place.ts';
import type { ServiceLine } from '../service/set-up-line.ts';
import { openRawDatabase } from '../waits/raw-database.ts';

/** SQL: about a kilobyte of text that compresses as little as a sealed payload. */
const PAYLOAD = {
  sqlite: 'hex(randomblob(500))',
  postgresql: Array.from({ length: 31 }, () => 'md5(random()::text)').join(' || '),
};

/** Stores deliveries that were processed long ago. */
export const fillWithDeliveries = async (settings: Settings, line: ServiceLine, total: number): Promise<void> => {
  const payload = PAYLOAD[settings.DATABASE_URL === undefined ? 'sqlite' : 'postgresql'];
  const raw = await openRawDatabase(settings);
  await raw.run(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < $4)
      insert into deliveries (id, team_id, account_id, provider, route, received_at, secret_id, payload, state,
        processed_at, call_key, told)
      select 'delivery-' || n, $1, $2, 'twilio', 'voice', n, $3, ${payload}, 'processed', n, 'call-' || n, '{}' from numbers`,
    [line.teamId, line.account, line.secretId, total],
  );
  await raw.close();
};
