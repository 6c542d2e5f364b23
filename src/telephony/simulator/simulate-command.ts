import { type Command, CommandRefused, UsageRefused } from '../../platform/index.ts';
import { pickTeam, type TeamCommandDependencies, teamOption } from '../../teams/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import { countArchived } from '../recordings/recording-store.ts';
import { canBePlayed, simulateCalls } from './simulate-calls.ts';
import type { SimulateDependencies } from './simulated-line.ts';

const PLAYABLE = PROVIDERS.filter(canBePlayed);
const NAMES = PLAYABLE.map(({ id }) => id).join(' or ');
const MOST = 10_000;
const STANDARD_COUNT = 50;

const readNumber = (value: string | boolean | undefined, name: string, standard: number, most: number): number => {
  const number = value === undefined ? standard : Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageRefused(`--${name} must be a whole number from 1 to ${most}.`);
  return number;
};

export const simulateCommands = (open: () => Promise<TeamCommandDependencies & SimulateDependencies>): Command[] => [
  {
    name: 'simulate calls',
    about: 'Sends signed test calls to the running service, so you can try it without a phone. Not for production.',
    options: {
      ...teamOption,
      provider: { type: 'string', about: `the provider to simulate: ${NAMES}; default: ${PLAYABLE[0]?.id}` },
      count: { type: 'string', about: `how many calls; default: ${STANDARD_COUNT}` },
      seed: { type: 'string', about: 'the same seed sends the same calls; default: a new one each time' },
    },
    async run({ options, progress }) {
      const count = readNumber(options['count'], 'count', STANDARD_COUNT, MOST);
      const seed = readNumber(options['seed'], 'seed', 1 + (Date.now() % 1_000_000_000), 2 ** 31);
      const simulation = await open();
      if (simulation.production) throw new CommandRefused("Calls can't be simulated in production.");
      const provider = PLAYABLE.find(({ id }) => id === (options['provider'] ?? PLAYABLE[0]?.id));
      if (!provider) throw new UsageRefused(`--provider must be ${NAMES}. The others can't be simulated.`);
      const teamId = await pickTeam(simulation, options['team']);
      const played = await simulateCalls(
        simulation,
        teamId,
        { provider, count, seed },
        { progress, countArchived: (accountId) => countArchived(simulation.database, teamId, accountId) },
      );
      const { requests, refused, recordings } = played;
      const text = [
        `Sent ${count} calls in ${requests} requests (seed ${seed}); ${refused} were refused.`,
        `Recordings: ${recordings.archived} of ${recordings.expected} archived.`,
        `See them at ${simulation.url}/calls`,
      ].join('\n');
      return { text, json: { ...played, seed }, exitCode: refused > 0 ? 1 : 0 };
    },
  },
];
