import { type GeneratedEntry, readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { judgeEvidence } from '../src/integrations/catalogue/evidence/judge-evidence.ts';

/**
 * Renders all built-in entries in one file that is quick to read: one per line, with a summary of the evidence instead
 * of the evidence itself.
 */
export const renderCatalogue = (): string => {
  const lines = readEntries().map(({ record, evidence }) => {
    const entry: GeneratedEntry = { record, proof: judgeEvidence(record, evidence) };
    return JSON.stringify(entry);
  });
  return `[\n${lines.join(',\n')}\n]\n`;
};
