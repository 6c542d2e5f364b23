import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Team } from '../../teams/index.ts';
import { firstBasis } from '../figures/basis.ts';
import type { ReportView } from '../figures/compare.ts';
import { countFigures } from '../figures/count-figures.ts';
import { nameWaiting, openNamedFigures } from '../figures/name-waiting.ts';
import { getReport } from '../figures/report-store.ts';
import type { MakeReportDependencies } from '../making/make-report.ts';
import { renderMail } from '../rendering/mail.ts';
import { spanOf, type WeekId } from '../week/week.ts';

export type PreviewDependencies = MakeReportDependencies & { url: string };

/** Without a directory, a temporary one that only its owner can read: the files name callers. */
const makePlace = (directory: string | null): string => {
  if (directory === null) return mkdtempSync(join(tmpdir(), 'patchbay-report-'));
  mkdirSync(directory, { recursive: true });
  return resolve(directory);
};

/** The report as made, or as it would be if made now. */
const viewReport = async (dependencies: PreviewDependencies, team: Team, week: WeekId) => {
  const { database, clock } = dependencies;
  const report = await getReport(database, team.id, week);
  if (report)
    return {
      isMade: true,
      view: { ...report, team: team.name, figures: await openNamedFigures(dependencies, report) },
    };
  const { name, timeZone } = team;
  const counted = await countFigures(dependencies, firstBasis(team, clock.now()), week);
  const figures = await nameWaiting(dependencies, team.id, counted);
  const view: ReportView = { week, team: name, timeZone, ...spanOf(week, timeZone), revision: 1, figures };
  return { isMade: false, view };
};

/** Writes a week's email as HTML and plain text. Nothing is sent or kept, and its link unsubscribes nobody. */
export const previewReport = async (
  dependencies: PreviewDependencies,
  team: Team,
  { week, directory }: { week: WeekId; directory: string | null },
) => {
  const { isMade, view } = await viewReport(dependencies, team, week);
  const { url } = dependencies;
  const mail = renderMail(view, { report: `${url}/reports/${week}`, unsubscribe: `${url}/#preview` });
  const place = makePlace(directory);
  const write = (extension: 'html' | 'txt', content: string): string => {
    const path = join(place, `${week}.${extension}`);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  return { week, isMade, subject: mail.subject, html: write('html', mail.html), text: write('txt', mail.text) };
};
