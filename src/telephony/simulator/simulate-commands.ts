import { type Command, CommandRefused, UsageRefused } from '../../platform/index.ts';
import { pickTeam, teamOption } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { PROVIDERS } from '../providers/index.ts';
import { simulateCalls } from './simulate-calls.ts';
import { canBeSimulated } from './simulated-line.ts';

const SIMULATED = PROVIDERS.filter(canBeSimulated);
const NAMES = SIMULATED.map(({ id }) => id).join(' or ');
const MOST = 10_000;
const STANDARD_COUNT = 50;

const readNumber = (value: string | boolean | undefined, name: string, standard: number, most: number): number => {
  const number = value === undefined ? standard : Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageRefused(`--${name} must be a whole number from 1 to ${most}.`);
  return number;
};

export const simulateCommands = (open: () => Promise<{ telephony: { context: TelephonyContext } }>): Command[] => [
  {
    name: 'simulate calls',
    about: 'Sends signed test calls to the running service, so you can try it without a phone. Not for production.',
    options: {
      ...teamOption,
      provider: { type: 'string', about: `the provider to simulate: ${NAMES}; default: ${SIMULATED[0]?.id}` },
      count: { type: 'string', about: `how many calls; default: ${STANDARD_COUNT}` },
      seed: { type: 'string', about: 'the same seed sends the same calls; default: a new one each time' },
    },
    async run({ options, progress }) {
      const count = readNumber(options['count'], 'count', STANDARD_COUNT, MOST);
      const seed = readNumber(options['seed'], 'seed', 1 + (Date.now() % 1_000_000_000), 2 ** 31);
      const { context } = (await open()).telephony;
      if (context.production) throw new CommandRefused("Calls can't be simulated in production.");
      const provider = SIMULATED.find(({ id }) => id === (options['provider'] ?? SIMULATED[0]?.id));
      if (!provider) throw new UsageRefused(`--provider must be ${NAMES}. The others can't be simulated.`);
      const teamId = await pickTeam(context, options['team']);
      const played = await simulateCalls(context, teamId, { provider, count, seed }, progress);
      const { requests, refused, recordings } = played;
      const text = [
        `Sent ${count} calls in ${requests} requests (seed ${seed}); ${refused} were refused.`,
        `Recordings: ${recordings.archived} of ${recordings.expected} archived.`,
        `See them at ${context.url}/calls${options['team'] ? ', signed in to that team' : ''}`,
      ].join('\n');
      return { text, json: { ...played, seed }, exitCode: refused > 0 ? 1 : 0 };
    },
  },
];
