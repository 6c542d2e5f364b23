import type { ImportedConnection } from './import-nango.ts';
import { readNangoProviders } from './nango-providers.ts';

export type TurnOff = {
  /** The key of the integration in Nango. */
  integration: string;
  /** How many of the integration's connections are in Patchbay now. In a dry run, this includes those that can be imported. */
  here: number;
  /** How many of the integration's connections are only in Nango. */
  left: number;
  /**
   * True if deleting a connection in Nango revokes its grant at the provider, which also breaks the connection in
   * Patchbay.
   */
  deletingRevokes: boolean;
};

const IS_HERE = new Set(['ready', 'imported', 'present']);

/** Lists the integrations in Nango with at least one connection that is now in Patchbay, too. */
export const listToTurnOff = (connections: readonly ImportedConnection[]): TurnOff[] => {
  const { providers } = readNangoProviders();
  const groups = Map.groupBy(connections, ({ integration }) => integration);
  return [...groups]
    .map(([integration, those]) => {
      const here = those.filter(({ outcome }) => IS_HERE.has(outcome)).length;
      const deletingRevokes = those.some(({ nangoProvider }) => providers[nangoProvider]?.deletingRevokes === true);
      return { integration, here, left: those.length - here, deletingRevokes };
    })
    .filter(({ here }) => here > 0)
    .sort((one, other) => (one.integration < other.integration ? -1 : 1));
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

const describe = ({ integration, here, left, deletingRevokes }: TurnOff): string[] => [
  `  ${integration}: ${plural(here, 'connection')}`,
  ...(left > 0 ? [`    ${plural(left, 'more connection')} could not be imported, and would be deleted with it.`] : []),
  ...(deletingRevokes
    ? ['    Never delete its connections one by one: Nango then revokes them at the provider, for Patchbay, too.']
    : []),
];

/** The advice about Nango that a person reads below the list of connections. */
export const explainTurnOff = (turnOff: readonly TurnOff[], apply: boolean): string[] => {
  if (turnOff.length === 0) return [];
  return [
    '',
    apply ? 'Turn these off in Nango now:' : 'After the import, turn these off in Nango:',
    ...turnOff.flatMap(describe),
    'Nango refreshes each token at least once a day. Where refresh tokens work once, the second to use one loses the connection.',
    'Stop asking Nango for tokens, and stop using its proxy and its syncs. Then delete the integrations above in Nango, or stop a self-hosted one.',
  ];
};
