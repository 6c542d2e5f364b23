import {
  type Command,
  type CommandInput,
  CommandRefused,
  openFile,
  printTable,
  toIso,
  UsageRefused,
} from '../../platform/index.ts';
import { getTeam, pickTeam, type Team, type TeamCommandDependencies, teamOption } from '../../teams/index.ts';
import { teamUnknown } from '../errors.ts';
import type { ReportView } from '../figures/compare.ts';
import { listReports } from '../figures/report-store.ts';
import { type Verification, verifyReport } from '../figures/verify-report.ts';
import { type Run, type RunDependencies, runReports } from '../making/run-reports.ts';
import { formatHeat } from '../rendering/heat-chart.ts';
import { titleOf } from '../rendering/report-title.ts';
import { sectionsOf } from '../rendering/sections.ts';
import { lastFinishedWeek, parseWeek, type WeekId } from '../week/week.ts';
import { type PreviewDependencies, previewReport } from './preview-report.ts';
import { showReport } from './show-report.ts';

export type ReportCommandDependencies = TeamCommandDependencies & RunDependencies & PreviewDependencies;

type Open = () => Promise<ReportCommandDependencies>;
type Options = CommandInput['options'];

const weekOption = (standard: string) =>
  ({ week: { type: 'string', about: `an ISO week like 2026-W46; default: ${standard}` } }) as const;
const ofOneTeam = { ...teamOption, ...weekOption('that of the newest report') } as const;

const textOf = (value: string | boolean | undefined): string | null => (typeof value === 'string' ? value : null);

const readWeek = (options: Options): WeekId | null => {
  const text = textOf(options['week']);
  if (text === null) return null;
  const week = parseWeek(text);
  if (week === null) throw new UsageRefused('--week is an ISO week like 2026-W46.');
  return week;
};

const readTeam = async (reports: ReportCommandDependencies, options: Options): Promise<Team> => {
  const team = await getTeam(reports.database, await pickTeam(reports, options['team']));
  if (!team) throw teamUnknown();
  return team;
};

const newestWeek = async ({ database }: ReportCommandDependencies, team: Team): Promise<WeekId | null> =>
  (await listReports(database, team.id, 1))[0]?.week ?? null;

/** The report that the options name, which must be there. */
const pickReport = async (reports: ReportCommandDependencies, options: Options) => {
  const asked = readWeek(options);
  const team = await readTeam(reports, options);
  const week = asked ?? (await newestWeek(reports, team));
  if (week === null) throw new CommandRefused('The team has no report yet: "report run" makes what is due.');
  return { team, week };
};

const describeRun = ({ created, existing, queued, failed, reports }: Run): string =>
  [
    ...(reports.length > 0
      ? [
          printTable(
            ['team', 'week', 'state', 'deliveries'],
            reports.map(({ team, week, state, deliveries }) => [team, week, state, String(deliveries)]),
          ),
          '',
        ]
      : []),
    `Created ${created}, existing ${existing}, queued ${queued}, failed ${failed}.`,
    ...(queued > 0 ? ['Those queued are made by the running service.'] : []),
    ...(failed > 0 ? ['Those failed are tried again by the running service; its log says what went wrong.'] : []),
  ].join('\n');

const describeReport = (view: ReportView): string =>
  [
    titleOf(view.week, view, view.timeZone, view.team),
    ...sectionsOf(view).map(({ title, rows }) =>
      printTable(
        [title, '', ''],
        rows.map(({ label, value, note }) => [`  ${label}`, value, note ?? '']),
      ),
    ),
    `Calls by hour\n${formatHeat(view.figures.heat)}`,
    `Times are those of ${view.timeZone}. Revision ${view.revision} of this report.`,
  ].join('\n\n');

const describeVerification = ({ week, revision, differences, isLate }: Verification): string => {
  const title = `${week}, revision ${revision}`;
  if (differences.length === 0) return `${title}: every figure is that of the rows, counted one by one.`;
  return [
    `${title}: ${differences.length} figures are not those of the rows.`,
    printTable(
      ['figure', 'in the report', 'in the rows'],
      differences.map(({ figure, reported, counted }) => [figure, JSON.stringify(reported), JSON.stringify(counted)]),
    ),
    isLate
      ? `Something has changed since: "report run --week ${week}" makes a new revision.`
      : 'The report is counted wrongly, which is a fault of the program: please tell its makers.',
  ].join('\n');
};

const runCommand = (open: Open): Command => ({
  name: 'report run',
  about:
    'Makes the weekly reports that are due, or those of one week. Doing it again sends nothing twice; what came late makes a new revision.',
  options: {
    ...weekOption('the last that is over, and earlier ones that are missing'),
    team: { type: 'string', about: "the team's id; default: every team" },
  },
  async run({ options }) {
    const week = readWeek(options);
    const wish = { week, team: textOf(options['team']), dryRun: false, askedBy: 'command_line' } as const;
    const run = await runReports(await open(), wish);
    return { text: describeRun(run), json: run, exitCode: run.failed > 0 ? 1 : 0 };
  },
});

const showCommand = (open: Open): Command => ({
  name: 'report show',
  about: 'Shows a report: all its figures, in words.',
  options: ofOneTeam,
  async run({ options }) {
    const reports = await open();
    const { team, week } = await pickReport(reports, options);
    const view = await showReport(reports, team, week);
    const { revision, timeZone, figures } = view;
    const [startsAt, endsAt, createdAt] = [view.startsAt, view.endsAt, view.createdAt].map(toIso);
    const json = { team: team.id, week, revision, timeZone, startsAt, endsAt, createdAt, figures };
    return { text: describeReport(view), json };
  },
});

const verifyCommand = (open: Open): Command => ({
  name: 'report verify',
  about: 'Counts a report once more, call by call over all rows of the team. Exit code 1: a figure differs.',
  options: ofOneTeam,
  async run({ options }) {
    const reports = await open();
    const { team, week } = await pickReport(reports, options);
    const verification = await verifyReport(reports, team, week);
    const isEqual = verification.differences.length === 0;
    const json = { team: team.id, isEqual, ...verification };
    return { text: describeVerification(verification), json, exitCode: isEqual ? 0 : 1 };
  },
});

const previewCommand = (open: Open): Command => ({
  name: 'report preview',
  about: 'Writes the mail of a report, and its twin in plain text, as files. Nothing is sent.',
  options: {
    ...teamOption,
    ...weekOption('that of the newest report, else the last that is over'),
    to: { type: 'string', about: 'a directory for the files; default: a new temporary one' },
    open: { type: 'boolean', about: 'open the mail in the browser' },
  },
  async run({ options }) {
    const asked = readWeek(options);
    const reports = await open();
    const team = await readTeam(reports, options);
    const week = asked ?? (await newestWeek(reports, team)) ?? lastFinishedWeek(reports.clock.now(), team.timeZone);
    const preview = await previewReport(reports, team, { week, directory: textOf(options['to']) });
    const isOpened = options['open'] === true && (await openFile(preview.html));
    const text = [
      preview.html,
      preview.text,
      ...(preview.isMade ? [] : [`There is no report of ${week} yet: this is what it would be now.`]),
      ...(options['open'] === true && !isOpened ? ['There is nothing here to open it with.'] : []),
    ].join('\n');
    return { text, json: { team: team.id, ...preview, isOpened } };
  },
});

export const reportCommands = (open: Open): Command[] => [
  runCommand(open),
  showCommand(open),
  verifyCommand(open),
  previewCommand(open),
];
