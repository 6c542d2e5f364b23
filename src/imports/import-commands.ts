import type { Integrations } from '../integrations/index.ts';
import {
  type Clock,
  type Command,
  type Database,
  type Outbound,
  type Pause,
  readInput,
  Secret,
  UsageRefused,
} from '../platform/index.ts';
import { pickTeam, type Teams } from '../teams/index.ts';
import type { CustomerSource } from './nango/find-owner.ts';
import { importNango } from './nango/import-nango.ts';
import { createNangoClient, NANGO_CLOUD } from './nango/nango-client.ts';
import { listToTurnOff } from './nango/what-to-turn-off.ts';
import { countOutcomes, printImport } from './print-import.ts';

type OpenImports = () => Promise<{
  database: Database;
  clock: Clock;
  outbound: Outbound;
  integrations: Integrations;
  teams: Teams;
  config: { nangoKey: Secret | null };
  pause: Pick<Pause, 'check'>;
}>;

const readHost = (given: string | boolean | undefined): string => {
  if (typeof given !== 'string') return NANGO_CLOUD;
  const url = URL.parse(given);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain) throw new UsageRefused('--host must be the address of your Nango, like https://nango.example.com.');
  return url.href.replace(/\/+$/, '');
};

const readSource = (given: string | boolean | undefined): CustomerSource => {
  if (typeof given !== 'string') return { by: 'owner' };
  if (given === 'connection') return { by: 'connection' };
  const tag = /^tag:(.+)$/.exec(given)?.[1];
  if (tag === undefined) throw new UsageRefused('--customer must be "connection" or "tag:<name>".');
  return { by: 'tag', tag: tag.toLowerCase() };
};

const readKey = async (fromInput: boolean, { nangoKey }: { nangoKey: Secret | null }): Promise<Secret> => {
  const typed = fromInput ? await readInput() : '';
  if (fromInput && /^\S+$/.test(typed)) return new Secret(typed);
  if (!fromInput && nangoKey) return nangoKey;
  throw new UsageRefused(
    'Set NANGO_SECRET_KEY to an API key of the environment in Nango, or pass it on standard input with --stdin.',
  );
};

export const importCommands = (open: OpenImports): Command[] => [
  {
    name: 'import nango',
    about:
      'Shows what can be imported from Nango, and with --apply imports it. The API key is in NANGO_SECRET_KEY. See docs/nango.md.',
    options: {
      apply: { type: 'boolean', about: 'import; without it, nothing is changed' },
      host: { type: 'string', about: `the address of a self-hosted Nango; default: ${NANGO_CLOUD}` },
      customer: {
        type: 'string',
        about:
          'what is the key of the customer: "connection" (its ID) or "tag:<name>"; default: organization or end user',
      },
      team: {
        type: 'string',
        about: 'the ID or key of one team that gets all of them, instead of one team per customer',
      },
      stdin: { type: 'boolean', about: 'read the API key from standard input' },
    },
    async run({ options, progress }) {
      const [host, source, apply] = [
        readHost(options['host']),
        readSource(options['customer']),
        options['apply'] === true,
      ];
      if (options['team'] !== undefined && options['customer'] !== undefined)
        throw new UsageRefused('Use --team or --customer, not both.');
      const { database, clock, outbound, integrations, teams, config, pause } = await open();
      await pause.check();
      const key = await readKey(options['stdin'] === true, config);
      const teamId = typeof options['team'] === 'string' ? await pickTeam({ database }, options['team']) : null;
      const client = createNangoClient({ outbound, clock }, { host, key });
      const connections = await importNango({ integrations, teams, client }, { apply, teamId, source }, progress);
      const turnOff = listToTurnOff(connections);
      const counts = countOutcomes(connections);
      return {
        text: printImport(connections, turnOff, apply),
        json: { applied: apply, counts, connections, turnOff },
        exitCode: counts.failed > 0 ? 1 : 0,
      };
    },
  },
];
