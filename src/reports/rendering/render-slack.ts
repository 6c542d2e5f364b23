import {
  escapeMrkdwn,
  type Mrkdwn,
  mrkdwn,
  type SlackBlock,
  type SlackMessage,
  slackLink,
  toOneLine,
} from '../../platform/index.ts';
import type { Figures } from '../figures/figures.ts';
import type { ReportView } from '../figures/view-report.ts';
import { formatCount } from './describe-change.ts';
import { formatHeat } from './heat-chart.ts';
import { remarksOf } from './remarks.ts';
import type { ReportLinks } from './render-mail.ts';
import { titleOf } from './report-title.ts';
import type { Row } from './row.ts';
import { type Section, sectionsOf } from './sections.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/section-block (2026): a section has room for ten fields. */
const MOST_FIELDS = 10;
const LONGEST_TEAM = 200;

const nameOf = (team: string): string => [...toOneLine(team)].slice(0, LONGEST_TEAM).join('');

const fieldOf = ({ label, value, note }: Row): Mrkdwn =>
  mrkdwn(`${escapeMrkdwn(label)}\n*${escapeMrkdwn(value)}*${note === null ? '' : `\n${escapeMrkdwn(note)}`}`);

const blocksOf = ({ title, rows }: Section): SlackBlock[] =>
  Array.from({ length: Math.ceil(rows.length / MOST_FIELDS) }, (_, index) => ({
    type: 'section' as const,
    ...(index === 0 ? { text: mrkdwn(`*${title}*`) } : {}),
    fields: rows.slice(index * MOST_FIELDS, (index + 1) * MOST_FIELDS).map(fieldOf),
  }));

/** What a notification shows: the figures worth knowing before opening anything. */
const noticeOf = (title: string, { calls, missedPercent, unreturned }: Figures): string => {
  const missed = missedPercent === null ? [] : [`unanswered: ${formatCount(missedPercent)}%`];
  const waiting = `still waiting: ${formatCount(unreturned.total)}`;
  return escapeMrkdwn([title, `inbound calls: ${formatCount(calls.inbound.value)}`, ...missed, waiting].join(' · '));
};

/** For the person who just saved the webhook URL. */
export const renderSlackTest = (team: string): SlackMessage => {
  const text = `The weekly report for ${escapeMrkdwn(nameOf(team) || 'your team')} will be posted here.`;
  return { text, blocks: [{ type: 'section', text: mrkdwn(text) }] };
};

/** No unsubscribe link here: Slack opens links to preview them, and a channel isn't one person. */
export const renderSlack = (report: ReportView, links: Pick<ReportLinks, 'report'>): SlackMessage => {
  // The header holds nothing that people typed: Slack doesn't say whether plain text must be escaped.
  const title = titleOf(report.week, report, report.timeZone);
  const team = nameOf(report.team);
  const foot = `Times are in ${escapeMrkdwn(toOneLine(report.timeZone))}. Revision ${report.revision}.`;
  return {
    text: noticeOf(team === '' ? title : `${title} · ${team}`, report.figures),
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
      ...sectionsOf(report).flatMap(blocksOf),
      { type: 'section', text: mrkdwn(`*Calls by hour*\n\`\`\`\n${formatHeat(report.figures.heat)}\n\`\`\``) },
      { type: 'context', elements: [mrkdwn(foot)] },
    ],
  };
};
