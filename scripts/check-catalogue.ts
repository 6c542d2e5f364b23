// Refuses flawed entries in the catalog, and warns about announced shutdowns that affect them.
import { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { findSunsets } from './find-sunsets.ts';
import { lintCatalogue } from './lint-catalogue.ts';

const entries = readEntries();
const flaws = lintCatalogue(entries);
for (const flaw of flaws) process.stderr.write(`${flaw}\n`);
if (flaws.length > 0) process.exitCode = 1;

const today = new Date().toISOString().slice(0, 10);
const records = entries.map(({ record }) => record);
for (const { id, date, daysLeft, what, source } of findSunsets(records, today)) {
  const when = daysLeft < 0 ? `since ${date}, and the entry is not retired` : `on ${date}, in ${daysLeft} days`;
  process.stdout.write(`warning: ${id}, ${when}: ${what} (${source})\n`);
}
