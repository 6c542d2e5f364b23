import { hash } from 'node:crypto';
import { giveWay } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { type Basis, basisOf, firstBasis } from '../figures/basis.ts';
import { countFigures } from '../figures/count-figures.ts';
import type { Figures } from '../figures/figures.ts';
import { getReport, insertReport, markReportChecked, type ReportRow } from '../figures/report-store.ts';
import { sealFigures } from '../figures/sealed-figures.ts';
import { reportDispatches } from '../ledger/report-dispatches.ts';
import { prepareDispatches, queueSkipped } from '../sending/queue-dispatches.ts';
import { spanOf, type WeekId } from '../week/week.ts';
import { toReportEvent } from './report-event.ts';

/** Hashes the figures, to detect late data. Leaves out integrations and names of numbers, which can change anytime. */
const hashOf = ({ integrations: _, ...figures }: Figures): string => {
  const numbers = figures.numbers.map(({ label: __, ...counted }) => counted);
  return hash('sha256', JSON.stringify({ ...figures, numbers }), 'hex');
};

const keep = async (
  context: ReportsContext,
  { team, asOf }: Basis,
  week: WeekId,
  { figures, revision }: { figures: Figures; revision: number },
): Promise<boolean> => {
  const { database, vault, clock, newId, record } = context;
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
    figures: await sealFigures(vault, team.id, id, figures),
    contentHash: hashOf(figures),
    createdAt: now,
    checkedAt: now,
  };
  // Only the first revision is sent. Later revisions are only shown.
  const dispatches = revision === 1 ? await prepareDispatches(context, team, report) : [];
  return database.transaction(async (tx) => {
    if ((await insertReport(tx, report)) === 0) return false;
    await reportDispatches.queue(context, tx, dispatches);
    await record(tx, toReportEvent(context, team, report));
    return true;
  });
};

export type Made = { state: 'created' | 'existing'; reportId: string };

/**
 * Makes a team's report for a week, unless it exists. Even if several requests or processes do this at once, only one
 * report is stored. If late data has changed the figures, stores a new revision with the settings of the first one.
 */
export const makeReport = async (context: ReportsContext, team: Team, week: WeekId): Promise<Made> => {
  const { database, vault, clock } = context;
  const known = await getReport(database, team.id, week);
  const basis = known ? await basisOf(vault, team, known) : firstBasis(team, clock.now());
  const figures = await countFigures(context, basis, week);
  await giveWay();
  const isNew = known?.contentHash !== hashOf(figures);
  const revision = (known?.revision ?? 0) + 1;
  const isKept = isNew && (await keep(context, basis, week, { figures, revision }));
  await giveWay();
  if (known) {
    await markReportChecked(database, team.id, known.id, clock.now());
    await queueSkipped(context, team, known);
  }
  const report = await getReport(database, team.id, week);
  if (!report) throw new Error('A report that was just made is missing.');
  return { state: isKept && !known ? 'created' : 'existing', reportId: report.id };
};
