import { Type } from '../../platform/index.ts';
import { ReportDetails, viewReportDetails } from '../../reports/index.ts';
import { noReport } from '../errors.ts';
import { defineTool, READS } from './tool.ts';

export const getReportTool = defineTool({
  name: 'get_report',
  title: 'Read a weekly report',
  description:
    'Returns the figures of one week: calls, who answered, what waits, and integrations. Without `week`, the newest report. Example: {"week": "2026-W46"}.',
  input: Type.Object(
    { week: Type.Optional(Type.String({ maxLength: 20, description: 'An ISO week, such as `2026-W46`' })) },
    { additionalProperties: false },
  ),
  output: ReportDetails,
  hints: READS,
  isFor: ({ can }) => can.includes('reports'),
  async run({ reports }, { caller: { teamId } }, { week }) {
    const wanted = week ?? (await reports.getNewestWeek(teamId));
    if (!wanted) throw noReport();
    return viewReportDetails(await reports.getReportDetails(teamId, wanted));
  },
});
