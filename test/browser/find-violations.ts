import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };

/** What axe finds wrong with a page. */
export const findViolations = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE);
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Violation[];
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0]?.html} ${nodes[0]?.failureSummary})`);
};
