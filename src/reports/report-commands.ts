import {
  type Clock,
  type Command,
  type CommandInput,
  CommandRefused,
  type Database,
  hourCycleIn,
  openFile,
  printTable,
  toIso,
  UsageRefused,
} from '../platform/index.ts';
import { getTeam, pickTeam, type Team, teamOption } from '../teams/index.ts';
import { reportTeamUnknown } from './errors.ts';
import type { Verification } from './figures/verify-report.ts';
import type { ReportView } from './figures/view-report.ts';
import { formatHeat } from './rendering/heat-chart.ts';
import { remarksOf } from './rendering/remarks.ts';
import { titleOf } from './rendering/report-title.ts';
import { sectionsOf } from './rendering/sections.ts';
import type { Reports } from './reports.ts';
import type { Run } from './runs/run-reports.ts';
import { lastFinishedWeek, parseWeek, type WeekId } from './week/week.ts';

type App = { database: Database; clock: Clock; reports: Reports };
type Open = () => Promise<App>;
type Options = CommandInput['options'];

const weekOption = (standard: string) =>
  ({ week: { type: 'string', about: `an ISO week like 2026-W46; default: ${standard}` } }) as const;
const ofOneTeam = { ...teamOption, ...weekOption('the newest report') } as const;

const textOf = (value: string | boolean | undefined): string | null => (typeof value === 'string' ? value : null);

const readWeek = (options: Options): WeekId | null => {
  const text = textOf(options['week']);
  if (text === null) return null;
  const week = parseWeek(text);
  if (week === null) throw new UsageRefused('--week must be an ISO week like 2026-W46.');
  return week;
};

const readTeam = async (app: App, options: Options): Promise<Team> => {
  const team = await getTeam(app.database, await pickTeam(app, options['team']));
  if (!team) throw reportTeamUnknown();
  return team;
};

/** Finds the report that the options name. Refuses if there is none. */
const pickReport = async (app: App, options: Options) => {
  const asked = readWeek(options);
  const team = await readTeam(app, options);
  const week = asked ?? (await app.reports.getNewestWeek(team.id));
  if (week === null) throw new CommandRefused('The team has no report yet. Run "report run" to create one.');
  return { team, week };
};

const describeRun = ({ created, existing, queued, failed, remaining, message, reports }: Run): string => {
  const rows = reports.map(({ team, week, state, deliveries }) => [team, week, state, String(deliveries)]);
  return [
    ...(rows.length > 0 ? [printTable(['team', 'week', 'state', 'recipients'], rows), ''] : []),
    `Created ${created}, existing ${existing}, queued ${queued}, failed ${failed}.`,
    ...(message === null ? [] : [message]),
    ...(reports.some(({ predatesTeam }) => predatesTeam)
      ? ['Weeks that ended before a team was created are reported, but sent to no one.']
      : []),
    ...(queued > 0 ? ['The running service will create the queued reports.'] : []),
    ...(remaining > 0 ? [`The running service will check the remaining ${remaining} teams.`] : []),
    ...(failed > 0 ? ['The running service will retry the failed reports. See its log for what went wrong.'] : []),
  ].join('\n');
};

const BEFORE_TEAM = 'This week ended before the team was created, so the report is sent to no one.';

const describeReport = (view: ReportView): string =>
  [
    [titleOf(view.week, view, view.timeZone, view.team), ...remarksOf(view)].join('\n'),
    ...sectionsOf(view).map(({ title, rows }) =>
      printTable(
        [title, '', ''],
        rows.map(({ label, value, note }) => [`  ${label}`, value, note ?? '']),
      ),
    ),
    `Calls by hour\n${formatHeat(view.figures.heat, hourCycleIn(view.timeZone))}`,
    `Times are in ${view.timeZone}. Revision ${view.revision}.${view.predatesTeam ? ` ${BEFORE_TEAM}` : ''}`,
  ].join('\n\n');

const describeVerification = ({ week, revision, differences, isLate }: Verification): string => {
  const title = `${week}, revision ${revision}`;
  if (differences.length === 0) return `${title}: all figures match.`;
  return [
    `${title}: ${differences.length === 1 ? "1 figure doesn't" : `${differences.length} figures don't`} match.`,
    printTable(
      ['figure', 'in the report', 'recounted'],
      differences.map(({ figure, reported, counted }) => [figure, JSON.stringify(reported), JSON.stringify(counted)]),
    ),
    isLate
      ? `Data has changed since. Run "report run --week ${week}" to create a new revision.`
      : 'The report was counted incorrectly. This is a bug in Patchbay; please report it.',
  ].join('\n');
};

export const reportCommands = (open: Open): Command[] => [
  {
    name: 'report run',
    about:
      'Creates the weekly reports that are due, or those for one week. Safe to run again: nothing is sent twice, and late data creates a new revision.',
    options: {
      ...weekOption('the last full week, and earlier ones that are missing since the team was created'),
      team: { type: 'string', about: "the team's ID; default: every team" },
    },
    async run({ options }) {
      const week = readWeek(options);
      const wish = { week, team: textOf(options['team']), askedBy: 'command_line' } as const;
      const run = await (await open()).reports.runReports(wish);
      return { text: describeRun(run), json: run, exitCode: run.failed > 0 ? 1 : 0 };
    },
  },
  {
    name: 'report show',
    about: 'Shows all the figures of a report.',
    options: ofOneTeam,
    async run({ options }) {
      const app = await open();
      const { team, week } = await pickReport(app, options);
      const view = await app.reports.showReport(team, week);
      const { revision, timeZone, predatesTeam, figures } = view;
      const [startsAt, endsAt, createdAt] = [view.startsAt, view.endsAt, view.createdAt].map(toIso);
      const json = { team: team.id, week, revision, timeZone, startsAt, endsAt, createdAt, predatesTeam, figures };
      return { text: describeReport(view), json };
    },
  },
  {
    name: 'report verify',
    about: "Recounts a report, call by call, from all the team's rows. Exits with code 1 if a figure differs.",
    options: ofOneTeam,
    async run({ options }) {
      const app = await open();
      const { team, week } = await pickReport(app, options);
      const verification = await app.reports.verifyReport(team, week);
      const isEqual = verification.differences.length === 0;
      const json = { team: team.id, isEqual, ...verification };
      return { text: describeVerification(verification), json, exitCode: isEqual ? 0 : 1 };
    },
  },
  {
    name: 'report preview',
    about: 'Writes the email for a report to files, as HTML and as plain text. Nothing is sent.',
    options: {
      ...teamOption,
      ...weekOption('the newest report, or the last full week'),
      to: { type: 'string', about: 'the directory for the files; default: a new temporary one' },
      open: { type: 'boolean', about: 'open the email in the browser' },
    },
    async run({ options }) {
      const asked = readWeek(options);
      const app = await open();
      const { getNewestWeek, previewReport } = app.reports;
      const team = await readTeam(app, options);
      const week = asked ?? (await getNewestWeek(team.id)) ?? lastFinishedWeek(app.clock.now(), team.timeZone);
      const preview = await previewReport(team, { week, directory: textOf(options['to']) });
      const isOpened = options['open'] === true && (await openFile(preview.html));
      const text = [
        preview.html,
        preview.text,
        ...(preview.isMade ? [] : [`There is no report for ${week} yet. This is what it would be now.`]),
        ...(options['open'] === true && !isOpened ? ['No program was found to open it with.'] : []),
      ].join('\n');
      return { text, json: { team: team.id, ...preview, isOpened } };
    },
  },
];
