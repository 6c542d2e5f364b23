import { hash } from 'node:crypto';
import { giveWay, Secret } from '../platform/index.ts';
import type { Team } from '../teams/index.ts';
import { countCalls, type NamedNumbers } from '../telephony/index.ts';
import type { Vault } from '../vault/index.ts';
import { buildFigures, pieceMsOf } from './build-figures.ts';
import type { Figures } from './figures.ts';
import { prepareDeliveries, type QueueDependencies, queueDeliveries } from './queue-deliveries.ts';
import { queueSkipped } from './queue-skipped.ts';
import { getReport, insertReport, markReportChecked, type ReportRow } from './report-store.ts';
import { shiftWeek, spanOf, type WeekId, weekAt } from './week.ts';

export type MakeReportDependencies = QueueDependencies & {
  /** How the team's integrations are, for the same report. */
  listIntegrations(teamId: string): Promise<Figures['integrations']>;
};

const placeOf = (id: string) => ({ record: `reports/${id}`, field: 'figures' });

/** What was not counted yet when a report of old was made. */
const complete = (stored: Figures): Figures => ({
  ...stored,
  quality: { ...stored.quality, late: stored.quality.late ?? 0 },
  numbers: stored.numbers.map((number) => ({ ...number, hash: number.hash ?? null })),
  integrations: stored.integrations.map((integration) => ({
    ...integration,
    problem: integration.problem ?? null,
    troubleSince: integration.troubleSince ?? null,
    refreshFailures: integration.refreshFailures ?? 0,
  })),
});

export const openFigures = async (vault: Vault, { teamId, id, figures }: ReportRow): Promise<Figures> =>
  complete(JSON.parse((await vault.open(teamId, placeOf(id), figures)).reveal()));

/** By what a week is counted stays the same in every revision of its report, whatever the team has changed since. */
export type Basis = {
  team: Team;
  /** When it is looked who still waits. */
  asOf: number;
  /** Numbers that the report has named already: the team may have given them up. */
  named: NamedNumbers;
};

export const basisOf = async (vault: Vault, team: Team, report: ReportRow): Promise<Basis> => {
  const { timeZone, businessHours, asOf } = report;
  const { numbers } = await openFigures(vault, report);
  return {
    team: { ...team, timeZone, businessHours: businessHours === null ? team.businessHours : JSON.parse(businessHours) },
    asOf,
    named: new Map(
      numbers.flatMap(({ hash, number, label }) => (hash && number ? [[hash, { number, label }] as const] : [])),
    ),
  };
};

export const firstBasis = (team: Team, asOf: number): Basis => ({ team, asOf, named: new Map() });

/** Counted from the rows. */
export const countFigures = async (
  dependencies: MakeReportDependencies,
  { team, asOf, named }: Basis,
  week: WeekId,
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
  const names = new Map([...named, ...counted.names]);
  return buildFigures({ timeZone, businessHours, ...span, counted: { ...counted, names }, hasBefore, integrations });
};

/** How integrations are now is news, and what a number is called is taste: neither is a fact that could have come late. */
const hashOf = ({ integrations: _, ...figures }: Figures): string => {
  const numbers = figures.numbers.map(({ label: __, ...counted }) => counted);
  return hash('sha256', JSON.stringify({ ...figures, numbers }), 'hex');
};

const keep = async (
  dependencies: MakeReportDependencies,
  { team, asOf }: Basis,
  week: WeekId,
  { figures, revision }: { figures: Figures; revision: number },
): Promise<boolean> => {
  const { database, vault, clock, newId } = dependencies;
  const id = newId();
  const now = clock.now();
  const report: ReportRow = {
    id,
    teamId: team.id,
    week,
    revision,
    timeZone: team.timeZone,
    businessHours: JSON.stringify(team.businessHours),
    ...spanOf(week, team.timeZone),
    asOf,
    figures: await vault.seal(team.id, placeOf(id), new Secret(JSON.stringify(figures))),
    contentHash: hashOf(figures),
    createdAt: now,
    checkedAt: now,
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
  const { database, vault, clock } = dependencies;
  const known = await getReport(database, team.id, week);
  const basis = known ? await basisOf(vault, team, known) : firstBasis(team, clock.now());
  const figures = await countFigures(dependencies, basis, week);
  await giveWay();
  const isNew = known?.contentHash !== hashOf(figures);
  const revision = (known?.revision ?? 0) + 1;
  const isKept = isNew && (await keep(dependencies, basis, week, { figures, revision }));
  await giveWay();
  if (known) {
    await markReportChecked(database, team.id, known.id, clock.now());
    await queueSkipped(dependencies, team, known);
  }
  const report = await getReport(database, team.id, week);
  if (!report) throw new Error('A report that was made is gone.');
  return { state: isKept && !known ? 'created' : 'existing', reportId: report.id };
};
