import { text as readText } from 'node:stream/consumers';
import { type Command, type CommandInput, FIRST_PAGE, printTable, UsageRefused } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import type { ContainedView, ContainmentView } from './containment-view.ts';
import type { ContainmentDetails, Containments } from './containments.ts';
import type { Forecast } from './forecast-containment.ts';
import type { AskedContainment, Asker } from './prepare-containment.ts';
import { sayContainmentState, sayGrantState } from './state-words.ts';

type Open = () => Promise<{ integrations: { containments: Containments } }>;

/** Commands are the operator's. */
const OPERATOR: Asker = { owner: null, actor: COMMAND_LINE };
const MOST_SHOWN = 100;

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

const readTime = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageRefused('--connected-before must be a time such as 2026-11-18T09:00:00Z.');
  return at;
};

const readAsked = async (
  containments: Containments,
  { options }: Pick<CommandInput, 'options'>,
): Promise<AskedContainment> => {
  const reason = textOf(options['reason'])?.trim();
  if (!reason) throw new UsageRefused('Say why, for the record: --reason "…"');
  const team = textOf(options['team']);
  return {
    reason,
    provider: textOf(options['provider']) ?? null,
    ofTeamId: team === undefined ? null : await containments.findTeam(team),
    connectedBefore: readTime(textOf(options['connected-before'])),
    tokenId: textOf(options['token']) ?? null,
    revokes: options['revoke'] === true,
  };
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const describeForecast = ({ connections, tokens, providers }: Forecast): string =>
  [
    `This would stop ${plural(connections, 'connection')} and ${plural(tokens, 'access token')}. Nothing has changed.`,
    ...(providers.length === 0
      ? []
      : [
          printTable(
            ['provider', 'connections', 'can be revoked', 'where to remove access by hand'],
            providers.map((one) => [one.provider, `${one.connections}`, one.revocation, one.where ?? '']),
          ),
        ]),
  ].join('\n');

const describeFilters = ({ filters: { provider, team, connectedBefore, token } }: ContainmentView): string =>
  [
    provider,
    team && `team ${team.key ?? team.name ?? team.id}`,
    connectedBefore && `connected before ${connectedBefore}`,
    token && `token ${token.name ?? token.id}`,
  ]
    .filter(Boolean)
    .join(', ');

const toCells = (one: ContainedView, details: ContainmentDetails): string[] => {
  const { team, provider, connection, account, where } = one;
  return [
    team.key ?? team.name ?? team.id,
    connection === 'default' ? provider : `${provider} ${connection}`,
    account.label ?? account.id ?? '',
    sayGrantState(one, details),
    where ?? '',
  ];
};

const describe = (details: ContainmentDetails): string => {
  const { id, reason, revoke, listing, connections, nextCursor } = details;
  return [
    `${id}: ${sayContainmentState(details)}.`,
    `${describeFilters(details)}${revoke ? ', with revocation' : ''}: ${reason}`,
    ...(connections.length > 0
      ? [
          printTable(
            ['team', 'connection', 'account', 'access', 'remove access at'],
            connections.map((one) => toCells(one, details)),
          ),
        ]
      : [listing ? 'The list of its connections is still being made.' : 'It concerns no connection.']),
    ...(nextCursor === null ? [] : [`There are more. "contain ledger ${id}" prints all of them as CSV.`]),
  ].join('\n');
};

const show = async (containments: Containments, id: string) => {
  const details = await containments.get(null, id, { limit: MOST_SHOWN });
  return { text: describe(details), json: details };
};

const withId = { words: ['ID'] } as const;

export const containmentCommands = (open: Open): Command[] => {
  const openContainments = async (): Promise<Containments> => (await open()).integrations.containments;
  const first = ({ words: [id = ''] }: CommandInput): string => id;
  return [
    {
      name: 'contain',
      about:
        'Stops what may have leaked, in all teams. Name at least one filter; several are combined. --dry-run first says what it would stop.',
      options: {
        reason: { type: 'string', about: 'what has happened, for the record' },
        provider: { type: 'string', about: 'connections to this provider, by its ID' },
        team: { type: 'string', about: 'only this team, by its ID or key; alone, its access tokens as well' },
        token: { type: 'string', about: 'an access token, by its ID; with --revoke, also what it was used with' },
        'connected-before': { type: 'string', about: 'only what was connected before, such as 2026-11-18T09:00:00Z' },
        revoke: { type: 'boolean', about: 'revoke the grants at their providers as well' },
        'dry-run': { type: 'boolean', about: 'only say what it would stop' },
      },
      async run(input) {
        const containments = await openContainments();
        const asked = await readAsked(containments, input);
        if (input.options['dry-run'] !== true)
          return show(containments, (await containments.beginContainment(asked, OPERATOR)).id);
        const forecast = await containments.forecastContainment(asked, OPERATOR);
        return { text: describeForecast(forecast), json: { dryRun: true, ...forecast } };
      },
    },
    {
      name: 'contain list',
      about:
        "Lists what the operator has stopped, newest first. A team's own is on its page, and under /api/containments.",
      async run() {
        const { rows } = await (await openContainments()).list(null, { ...FIRST_PAGE, limit: MOST_SHOWN });
        const cells = rows.map((row) => [
          row.id,
          sayContainmentState(row),
          row.startedAt,
          describeFilters(row),
          row.reason,
        ]);
        const text =
          rows.length === 0
            ? 'The operator has stopped nothing.'
            : printTable(['ID', 'state', 'since', 'what', 'reason'], cells);
        return { text, json: { containments: rows } };
      },
    },
    {
      name: 'contain show',
      ...withId,
      about: 'Shows a containment, and what became of its connections.',
      run: async (input) => show(await openContainments(), first(input)),
    },
    ...(
      [
        ['ledger', 'Prints what became of every connection of a containment, as CSV.', 'writeLedger'],
        ['exposure', 'Prints who could have had what was contained, as CSV.', 'writeExposure'],
      ] as const
    ).map(
      ([verb, about, write]): Command => ({
        name: `contain ${verb}`,
        ...withId,
        about,
        async run(input) {
          const csv = await readText(await (await openContainments())[write](null, first(input)));
          return { text: csv.trimEnd(), json: { csv } };
        },
      }),
    ),
    {
      name: 'contain lift',
      ...withId,
      about: 'Ends a containment. What was revoked has to be connected again.',
      async run(input) {
        const containments = await openContainments();
        await containments.liftContainment(first(input), OPERATOR);
        return show(containments, first(input));
      },
    },
  ];
};
