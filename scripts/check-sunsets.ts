// Warns about announced shutdowns that affect entries in the catalog.
import { globSync, readFileSync } from 'node:fs';
import type { FullRecord } from '../src/integrations/catalogue/provider.ts';
import { findSunsets } from './find-sunsets.ts';

const files = globSync('src/integrations/catalogue/entries/*.json');
const entries = files.map((file): FullRecord => JSON.parse(readFileSync(file, 'utf8')));
const today = new Date().toISOString().slice(0, 10);

for (const { id, date, daysLeft, what, source } of findSunsets(entries, today)) {
  const when = daysLeft < 0 ? `since ${date}, and the entry is not retired` : `on ${date}, in ${daysLeft} days`;
  process.stdout.write(`warning: ${id}, ${when}: ${what} (${source})\n`);
}
