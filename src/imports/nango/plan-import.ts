import { isCustomerKey } from '../../teams/index.ts';
import { type Reason, reason } from '../reason.ts';
import { type CustomerSource, findOwner, type Owner } from './find-owner.ts';
import { nameConnection, nameSecond } from './name-connections.ts';
import { type NangoProvider, readNangoProviders } from './nango-providers.ts';
import type { NangoConnection } from './nango-schemas.ts';

/**
 * A Nango connection with the customer, provider and name it gets in Patchbay. Made before its credentials are read.
 */
export type Planned = {
  listed: NangoConnection;
  /** Null if all connections go to one team, or if Nango names no owner. */
  owner: Owner | null;
  entry: NangoProvider | null;
  name: string | null;
  obstacle: Reason | null;
};

type Planning = {
  /** Null if all connections go to one team. */
  source: CustomerSource | null;
  isCustomProvider(id: string): boolean;
};

const NO_OWNER = reason(
  'no_customer',
  'Nango does not say whose it is. Use --customer to say where the customer is named, or --team to put all into one team.',
);
const BAD_KEY = reason(
  'customer_key_invalid',
  "The customer's ID can't be a key here: 1 to 200 printable ASCII characters without spaces.",
);

/**
 * Plans the oldest connections first, so that if two would have the same name, the older one gets it on every run. A
 * provider that our file doesn't list is found if the operator added a provider with the same ID.
 */
export const planImport = (connections: readonly NangoConnection[], planning: Planning): Planned[] => {
  const { source, isCustomProvider } = planning;
  const { providers, leftOut } = readNangoProviders();
  const taken = new Set<string>();

  const findEntry = (id: string): NangoProvider | null =>
    (Object.hasOwn(providers, id) ? providers[id] : null) ?? (isCustomProvider(id) ? { provider: id } : null);

  const explainMissing = (id: string): Reason =>
    Object.hasOwn(leftOut, id)
      ? reason('provider_left_out', `${leftOut[id]} It has to be connected again here.`)
      : reason('provider_unknown', 'Patchbay has no such provider. Add it in the file that PATCHBAY_PROVIDERS names.');

  const nameOnce = ({ connection_id, provider_config_key }: NangoConnection, place: string): string => {
    const first = nameConnection(connection_id);
    const name = taken.has(`${place} ${first}`) ? nameSecond(connection_id, provider_config_key) : first;
    taken.add(`${place} ${name}`);
    return name;
  };

  return [...connections]
    .sort((one, other) => one.id - other.id)
    .map((listed) => {
      const entry = findEntry(listed.provider);
      const owner = source && findOwner(listed, source);
      const key = owner?.customer.key;
      const found = { listed, owner, entry };
      if (!entry) return { ...found, name: null, obstacle: explainMissing(listed.provider) };
      if (source && key === undefined) return { ...found, name: null, obstacle: NO_OWNER };
      if (key !== undefined && !isCustomerKey(key)) return { ...found, name: null, obstacle: BAD_KEY };
      return { ...found, name: nameOnce(listed, `${key ?? ''} ${entry.provider}`), obstacle: null };
    });
};
