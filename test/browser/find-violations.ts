import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };

/** Dark pages differ from light ones only in their colors. */
const COLORS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const RUN = `axe.run({
  resultTypes: ['violations'],
  ...(matchMedia('(prefers-color-scheme: dark)').matches && { runOnly: ${JSON.stringify(COLORS)} }),
}).then(({ violations }) => violations)`;

/** What axe finds wrong with a page. In dark mode it only looks at colors, so each page is shown in light mode too. */
export const findViolations = async (page: Page): Promise<string[]> => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(RUN)) as Violation[];
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0]?.html} ${nodes[0]?.failureSummary})`);
};
