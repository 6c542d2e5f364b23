import { hash } from 'node:crypto';
import { giveWay } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import { type Basis, basisOf, firstBasis } from '../figures/basis.ts';
import { type CountDependencies, countFigures } from '../figures/count-figures.ts';
import type { Figures } from '../figures/figures.ts';
import { getReport, insertReport, markReportChecked, type ReportRow } from '../figures/report-store.ts';
import { sealFigures } from '../figures/sealed-figures.ts';
import { prepareDeliveries, type QueueDependencies, queueDeliveries } from '../sending/queue-deliveries.ts';
import { queueSkipped } from '../sending/queue-skipped.ts';
import { spanOf, type WeekId } from '../week/week.ts';

export type MakeReportDependencies = QueueDependencies & CountDependencies;

/** Leaves out the state of integrations and the names of numbers: neither can arrive late. */
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
    figures: await sealFigures(vault, { teamId: team.id, id }, figures),
    contentHash: hashOf(figures),
    createdAt: now,
    checkedAt: now,
  };
  // Late data is shown but not sent again.
  const deliveries = revision === 1 ? await prepareDeliveries(dependencies, team, report) : [];
  return database.transaction(async (tx) => {
    if ((await insertReport(tx, report)) === 0) return false;
    await queueDeliveries(dependencies, tx, deliveries);
    return true;
  });
};

export type Made = { state: 'created' | 'existing'; reportId: string };

/**
 * A team's report for a week, made if there is none. However often and from however many processes it's requested,
 * there is only one. Late data makes a new revision, in the time zone of the first one.
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
  if (!report) throw new Error('A report that was just made is missing.');
  return { state: isKept && !known ? 'created' : 'existing', reportId: report.id };
};
