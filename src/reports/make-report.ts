import { hash } from 'node:crypto';
import { Secret } from '../platform/index.ts';
import type { Team } from '../teams/index.ts';
import { countCalls } from '../telephony/index.ts';
import type { Vault } from '../vault/index.ts';
import { buildFigures, pieceMsOf } from './build-figures.ts';
import type { Figures } from './figures.ts';
import { prepareDeliveries, type QueueDependencies, queueDeliveries } from './queue-deliveries.ts';
import { getReport, insertReport, type ReportRow } from './report-store.ts';
import { shiftWeek, spanOf, type WeekId, weekAt } from './week.ts';

export type MakeReportDependencies = QueueDependencies & {
  /** How the team's integrations are, for the same report. */
  listIntegrations(teamId: string): Promise<Figures['integrations']>;
};

const placeOf = (id: string) => ({ record: `reports/${id}`, field: 'figures' });

export const openFigures = async (vault: Vault, { teamId, id, figures }: ReportRow): Promise<Figures> =>
  JSON.parse((await vault.open(teamId, placeOf(id), figures)).reveal());

/** Counted from the rows. `asOf` is when it is looked who still waits: the same in every revision of a report. */
export const countFigures = async (
  dependencies: MakeReportDependencies,
  team: Team,
  week: WeekId,
  asOf: number,
): Promise<Figures> => {
  const { timeZone, businessHours } = team;
  const span = spanOf(week, timeZone);
  const previous = shiftWeek(week, -1);
  const beforeStartsAt = spanOf(previous, timeZone).startsAt;
  const pieceMs = pieceMsOf(businessHours);
  const [counted, integrations] = await Promise.all([
    countCalls(dependencies, team.id, { ...span, beforeStartsAt, pieceMs, asOf }),
    dependencies.listIntegrations(team.id),
  ]);
  const hasBefore = weekAt(team.createdAt, timeZone) <= previous;
  return buildFigures({ timeZone, businessHours, ...span, counted, hasBefore, integrations });
};

/** How integrations are now is news, and not a fact of that week that could have come late. */
const hashOf = ({ integrations: _, ...figures }: Figures): string => hash('sha256', JSON.stringify(figures), 'hex');

const keep = async (
  dependencies: MakeReportDependencies,
  team: Team,
  week: WeekId,
  { figures, revision, asOf }: { figures: Figures; revision: number; asOf: number },
): Promise<boolean> => {
  const { database, vault, clock, newId } = dependencies;
  const id = newId();
  const report: ReportRow = {
    id,
    teamId: team.id,
    week,
    revision,
    timeZone: team.timeZone,
    ...spanOf(week, team.timeZone),
    asOf,
    figures: await vault.seal(team.id, placeOf(id), new Secret(JSON.stringify(figures))),
    contentHash: hashOf(figures),
    createdAt: clock.now(),
  };
  // Late data is shown, and not sent again.
  const deliveries = revision === 1 ? await prepareDeliveries(dependencies, team, report) : [];
  return database.transaction(async (tx) => {
    if ((await insertReport(tx, report)) === 0) return false;
    await queueDeliveries(dependencies, tx, deliveries);
    return true;
  });
};

export type Made = { state: 'created' | 'existing'; reportId: string };

/**
 * The report of a team and week, made where there is none. However often and from however many processes it is asked
 * for, there is one; what came late makes a new revision of it, in the zone that the first one was made in.
 */
export const makeReport = async (dependencies: MakeReportDependencies, team: Team, week: WeekId): Promise<Made> => {
  const { database, clock } = dependencies;
  const known = await getReport(database, team.id, week);
  const asOf = known?.asOf ?? clock.now();
  const then = known ? { ...team, timeZone: known.timeZone } : team;
  const figures = await countFigures(dependencies, then, week, asOf);
  const isNew = known?.contentHash !== hashOf(figures);
  const isKept =
    isNew && (await keep(dependencies, then, week, { figures, revision: (known?.revision ?? 0) + 1, asOf }));
  const report = await getReport(database, team.id, week);
  if (!report) throw new Error('A report that was made is gone.');
  return { state: isKept && !known ? 'created' : 'existing', reportId: report.id };
};
