import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Team } from '../../teams/index.ts';
import type { ReadingContext } from '../figures/count-week-now.ts';
import { getReport } from '../figures/report-store.ts';
import { viewReport, viewWeekNow } from '../figures/view-report.ts';
import { renderMail } from '../rendering/render-mail.ts';
import type { WeekId } from '../week/week.ts';

/**
 * Creates the directory. The default is a temporary one that only its owner can read, because the files name callers.
 */
const makePlace = (directory: string | null): string => {
  if (directory === null) return mkdtempSync(join(tmpdir(), 'patchbay-report-'));
  mkdirSync(directory, { recursive: true });
  return resolve(directory);
};

/** Writes a new file and renames it. An existing file could be a symbolic link, or readable by others. */
const writePrivate = (path: string, content: string): void => {
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
};

/**
 * Writes a week's email as HTML and plain text: the stored report, or the report as if it were made now. Sends and
 * stores nothing. The unsubscribe link in it does nothing.
 */
export const previewReport = async (
  context: ReadingContext,
  team: Team,
  { week, directory }: { week: WeekId; directory: string | null },
) => {
  const { database, url } = context;
  const report = await getReport(database, team.id, week);
  const view = report ? await viewReport(context, team, report) : await viewWeekNow(context, team, week);
  const mail = renderMail(view, { report: `${url}/reports/${week}`, unsubscribe: `${url}/#preview` });
  const place = makePlace(directory);
  const write = (extension: 'html' | 'txt', content: string): string => {
    const path = join(place, `${week}.${extension}`);
    writePrivate(path, content);
    return path;
  };
  const files = { html: write('html', mail.html), text: write('txt', mail.text) };
  return { week, isMade: report !== undefined, subject: mail.subject, ...files };
};
