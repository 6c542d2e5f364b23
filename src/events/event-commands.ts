import { once } from 'node:events';
import {
  type Clock,
  type Command,
  type CommandInput,
  type Database,
  forTerminal,
  type Pause,
  Secret,
  toTerminalJson,
  UsageRefused,
} from '../platform/index.ts';
import { getTeam, pickTeam, teamOption } from '../teams/index.ts';
import { isAccepted, type SendAttempt } from './attempts/attempt.ts';
import { ENDPOINT_SECRET, newEndpointSecret } from './endpoints/endpoint.ts';
import { shownUrlOf } from './endpoints/endpoint-secrets.ts';
import type { Events } from './events.ts';
import { isChoice } from './log/event-filter.ts';
import type { EventView } from './log/event-view.ts';
import { forwardEvents } from './sending/forward-events.ts';

type App = { database: Database; clock: Clock; pause: Pause; events: Events };
type Open = () => Promise<App>;

const readAddress = (value: CommandInput['options'][string]): Secret => {
  if (value === undefined)
    throw new UsageRefused(
      '--forward-to is missing. Add where to send the events, like --forward-to http://localhost:4000/hook.',
    );
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageRefused('--forward-to must be a URL, like http://localhost:4000/hook.');
  return new Secret(url.href);
};

const readSecret = (value: CommandInput['options'][string]): Secret => {
  if (value === undefined) return newEndpointSecret();
  if (typeof value === 'string' && ENDPOINT_SECRET.test(value)) return new Secret(value);
  throw new UsageRefused('--secret must be one that "listen" has printed, or the secret of an endpoint (whsec_…).');
};

const readTypes = (value: CommandInput['options'][string], forOperator: boolean): string[] | undefined => {
  if (typeof value !== 'string') return undefined;
  const types = value.split('\n');
  const wrong = types.find((type) => !isChoice(type, forOperator));
  if (wrong === undefined) return types;
  throw new UsageRefused(
    `--type "${wrong}" is not a type of event. Try call.missed, call.*, or provider.event:github/issues.`,
  );
};

const welcome = (what: string, to: string, secret: Secret): string =>
  `Sending ${what} to ${to} as they happen. Each is sent once. Press Ctrl+C to stop.
Your receiver needs this secret: ${secret.reveal()}
To keep it, add --secret next time.`;

const describe = ({ id, type, team }: EventView, attempt: SendAttempt, ofCustomers: boolean): string => {
  const result = isAccepted(attempt) ? String(attempt.status) : attempt.error;
  const customer = ofCustomers ? `  ${team.key}` : '';
  return `${type.padEnd(26)} ${id}  ${result} (${attempt.durationMs} ms)${customer}`;
};

export const eventCommands = (open: Open, print: (text: string) => void): Command[] => [
  {
    name: 'listen',
    about: 'Sends events to an address on your machine as they happen, until you stop it. For developing a receiver.',
    options: {
      'forward-to': { type: 'string', about: 'where to send them, like http://localhost:4000/hook' },
      secret: {
        type: 'string',
        about: 'what to sign them with, such as the one printed last time; default: a new one',
      },
      type: {
        ...{ type: 'string', repeats: true },
        about: 'only these, like call.* or provider.event:github/issues; repeat it for more',
      },
      customers: { type: 'boolean', about: 'the events of all teams that have a key, as the operator gets them' },
      ...teamOption,
    },
    async run({ options, json }) {
      const url = readAddress(options['forward-to']);
      const secret = readSecret(options['secret']);
      const app = await open();
      await app.pause.check();
      const scope = options['customers'] === true ? null : { teamId: await pickTeam(app, options['team']) };
      const types = readTypes(options['type'], scope === null);
      const whose = scope ? (await getTeam(app.database, scope.teamId))?.name : 'all customers';
      const say = (text: string, data: object): void => print(`${json ? toTerminalJson(data) : forTerminal(text)}\n`);
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM']) void once(process, signal).then(() => stop.abort());
      say(welcome(`the events of ${whose}`, shownUrlOf(url), secret), { secret: secret.reveal() });
      let accepted = 0;
      const sent = await forwardEvents(app, scope, { url, secret, types, signal: stop.signal }, (event, attempt) => {
        const { status, durationMs, error } = attempt;
        if (isAccepted(attempt)) accepted++;
        say(describe(event, attempt, scope === null), { ...event, attempt: { status, durationMs, error } });
      });
      const text = `Sent ${sent} ${sent === 1 ? 'event' : 'events'}, of which ${accepted} ${accepted === 1 ? 'was' : 'were'} accepted.`;
      return { text, json: { sent, accepted } };
    },
  },
];
