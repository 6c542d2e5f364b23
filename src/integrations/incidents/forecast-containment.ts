import { isKeyBased } from '../catalogue/catalogue.ts';
import type { Catalogue } from '../catalogue/provider.ts';
import type { Containment } from '../containment/containment.ts';
import type { IncidentsContext } from './context.ts';
import { countMatching } from './matching-store.ts';
import {
  type AskedContainment,
  type Asker,
  type PreparedContainment,
  prepareContainment,
  stopTokens,
} from './prepare-containment.ts';

type OfProvider = {
  provider: string;
  connections: number;
  revocation: 'possible' | 'unsupported' | 'unknown';
  /** Where a person has to remove access. Null if that isn't known, or not needed. */
  where: string | null;
};

/** What a containment would stop. */
export type Forecast = { connections: number; tokens: number; providers: OfProvider[] };

/** Whether a provider's grants can be revoked from here. */
const findRevocation = (catalogue: Catalogue, provider: string): Pick<OfProvider, 'revocation' | 'where'> => {
  const entry = catalogue.get(provider);
  const where = entry?.record.removal ?? null;
  if (!entry) return { revocation: 'unknown', where };
  if (isKeyBased(entry)) return { revocation: 'unsupported', where };
  const { revoke } = entry.record;
  // An entry that is completed by discovery may get an address for it.
  const mayBeFound = revoke === undefined && 'issuer' in entry.record;
  if (revoke || mayBeFound) return { revocation: 'possible', where: null };
  return { revocation: revoke === null ? 'unsupported' : 'unknown', where };
};

/** How many of a team's hand-outs are looked at. */
const NEWEST_HAND_OUTS = 20_000;

class Rehearsed extends Error {}

/** Counts the tokens that would be stopped, by stopping them and taking that back. */
const countTokens = async ({ database }: IncidentsContext, containment: Containment): Promise<number> => {
  let tokens = 0;
  const rehearsal = database.transaction(async (tx) => {
    tokens = await stopTokens(tx, containment);
    throw new Rehearsed();
  });
  await rehearsal.catch((error) => {
    if (!(error instanceof Rehearsed)) throw error;
  });
  return tokens;
};

const countByProvider = async (
  { database }: IncidentsContext,
  { containment, used }: PreparedContainment,
): Promise<Pick<OfProvider, 'provider' | 'connections'>[]> => {
  if (!containment.stopsConnections) return [];
  if (used === null) return countMatching(database, containment);
  const groups = Map.groupBy(used, ({ provider }) => provider);
  return [...groups].sort().map(([provider, { length: connections }]) => ({ provider, connections }));
};

/** Says what a containment would stop, and changes nothing. */
export const forecastContainment = async (
  context: IncidentsContext,
  asked: AskedContainment,
  asker: Asker,
): Promise<Forecast> => {
  const prepared = await prepareContainment(context, asked, asker, NEWEST_HAND_OUTS);
  const counted = await countByProvider(context, prepared);
  return {
    connections: counted.reduce((sum, { connections }) => sum + connections, 0),
    tokens: await countTokens(context, prepared.containment),
    providers: counted.map((one) => ({ ...one, ...findRevocation(context.catalogue, one.provider) })),
  };
};
