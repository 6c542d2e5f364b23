import { toOneLine } from '../../mail/index.ts';
import {
  escapeMrkdwn,
  type Mrkdwn,
  mrkdwn,
  type SlackBlock,
  type SlackMessage,
  slackLink,
} from '../../notices/index.ts';
import { hourCycleIn } from '../../platform/index.ts';
import type { ReportView } from '../figures/view-report.ts';
import { formatCount } from './describe-change.ts';
import { summarizeReport } from './headlines.ts';
import { formatHeat } from './heat-chart.ts';
import { remarksOf } from './remarks.ts';
import type { ReportLinks } from './render-mail.ts';
import { titleOf } from './report-title.ts';
import { cutRows, plain, type Row } from './row.ts';
import { type Section, sectionsOf } from './sections.ts';

const LONGEST_TEAM = 200;

const nameOf = (team: string): string => [...toOneLine(team)].slice(0, LONGEST_TEAM).join('');

const fieldOf = ({ label, value, note }: Row): Mrkdwn =>
  mrkdwn(`${escapeMrkdwn(label)}\n*${escapeMrkdwn(value)}*${note === null ? '' : `\n${escapeMrkdwn(note)}`}`);

/**
 * A section as a Slack block, which can have up to ten fields:
 * https://docs.slack.dev/reference/block-kit/blocks/section-block (2026).
 */
const blockOf = ({ title, rows, unit }: Section): SlackBlock => {
  const { first, more } = cutRows(rows);
  const fields =
    more > 0
      ? [...first, plain('In the report', `${formatCount(more)} more${unit === null ? '' : ` ${unit}`}`)]
      : first;
  return { type: 'section', text: mrkdwn(`*${title}*`), fields: fields.map(fieldOf) };
};

/** The test message for the person who just saved the webhook URL. */
export const renderSlackTest = (team: string): SlackMessage => {
  const text = `The weekly report for ${escapeMrkdwn(nameOf(team) || 'your team')} will be posted here.`;
  return { text, blocks: [{ type: 'section', text: mrkdwn(text) }] };
};

/**
 * Renders the report without an unsubscribe link: Slack opens links to preview them, and a channel isn't one person.
 */
export const renderSlack = (report: ReportView, links: Pick<ReportLinks, 'report'>): SlackMessage => {
  // The header contains no text that people typed, because Slack doesn't document whether plain text must be escaped.
  const title = titleOf(report.week, report, report.timeZone);
  const team = nameOf(report.team);
  const foot = `Times are in ${escapeMrkdwn(toOneLine(report.timeZone))}.${report.revision > 1 ? ` Revision ${report.revision}: something came in late, so the week was counted again.` : ''}`;
  return {
    text: escapeMrkdwn([title, team, summarizeReport(report)].filter(Boolean).join(' · ')),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      {
        type: 'section',
        text: mrkdwn(
          [escapeMrkdwn(team), slackLink(links.report, 'Open the report'), ...remarksOf(report).map(escapeMrkdwn)]
            .filter(Boolean)
            .join('\n'),
        ),
      },
      ...sectionsOf(report).map(blockOf),
      {
        type: 'section',
        text: mrkdwn(
          `*Calls by hour*\n\`\`\`\n${formatHeat(report.figures.heat, hourCycleIn(report.timeZone))}\n\`\`\``,
        ),
      },
      { type: 'context', elements: [mrkdwn(foot)] },
    ],
  };
};
