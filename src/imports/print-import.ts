import { printTable } from '../platform/index.ts';
import type { ImportedConnection, ImportOutcome } from './nango/import-nango.ts';
import { explainTurnOff, type TurnOff } from './nango/what-to-turn-off.ts';

/** More rows than a person reads. `--json` prints all of them. */
const MOST_ROWS = 200;

const SAYS: Record<ImportOutcome, string> = {
  ready: 'can be imported',
  imported: 'imported',
  present: 'already here',
  refused: 'cannot be imported',
  failed: 'not returned by Nango',
};

type ImportCounts = Record<ImportOutcome, number>;

export const countOutcomes = (connections: readonly ImportedConnection[]): ImportCounts => {
  const counts = { ready: 0, imported: 0, present: 0, refused: 0, failed: 0 };
  for (const { outcome } of connections) counts[outcome]++;
  return counts;
};

const summarize = (counts: ImportCounts): string =>
  Object.entries(SAYS)
    .map(([outcome, says]) => ({ count: counts[outcome as ImportOutcome], says }))
    .filter(({ count }) => count > 0)
    .map(({ count, says }) => `${count} ${says}`)
    .join(', ');

const listReasons = (connections: readonly ImportedConnection[]): string[] => {
  const refused = connections.filter(({ reason }) => reason !== null);
  const groups = Map.groupBy(refused, ({ nangoProvider, reason }) => `${nangoProvider}: ${reason?.message}`);
  return [...groups]
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, MOST_ROWS)
    .map(([text, those]) => `  ${those.length} × ${text}`);
};

/** The result for people: where each connection goes, why others can't be imported, and what to do in Nango. */
export const printImport = (
  connections: readonly ImportedConnection[],
  turnOff: readonly TurnOff[],
  apply: boolean,
): string => {
  if (connections.length === 0) return 'Nango has no connections in this environment.';
  const rows = connections
    .slice(0, MOST_ROWS)
    .map(({ integration, connectionId, customer, provider, connection, outcome }) => [
      ...[integration, connectionId, customer ?? '', provider ?? '', connection ?? '', SAYS[outcome]],
    ]);
  const more = connections.length - rows.length;
  const reasons = listReasons(connections);
  const counts = countOutcomes(connections);
  return [
    printTable(['integration', 'connection in nango', 'customer', 'provider', 'connection here', 'outcome'], rows),
    ...(more > 0 ? [`… and ${more} more. --json lists all of them.`] : []),
    '',
    `${summarize(counts)}.`,
    ...(reasons.length > 0 ? ['Not imported:', ...reasons] : []),
    ...explainTurnOff(turnOff, apply),
    ...(!apply && counts.ready > 0 ? ['', 'Nothing has been changed. Run it again with --apply to import them.'] : []),
  ].join('\n');
};
