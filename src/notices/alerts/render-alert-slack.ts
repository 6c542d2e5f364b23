import { toOneLine } from '../../mail/index.ts';
import { escapeMrkdwn, mrkdwn, type SlackBlock, type SlackMessage, slackLink } from '../slack/slack-message.ts';
import { headlineOf, type Notice, type NoticeItem, noticeSectionsOf } from './notice.ts';

const itemOf = ({ title, lines, link }: NoticeItem): SlackBlock => ({
  type: 'section',
  text: mrkdwn(
    [`*${escapeMrkdwn(title)}*`, ...lines.map(escapeMrkdwn), ...(link ? [slackLink(link.url, link.name)] : [])].join(
      '\n',
    ),
  ),
});

/**
 * Renders the notice as Slack blocks. A message may have 50: https://docs.slack.dev/reference/block-kit/blocks (2026).
 */
export const renderAlertSlack = (notice: Notice): SlackMessage => {
  const { links } = notice;
  const team = escapeMrkdwn(toOneLine(notice.team));
  const foot = [team, slackLink(links.open, 'Open alerts'), slackLink(links.settings, 'Turn alerts on or off')];
  return {
    text: escapeMrkdwn(headlineOf(notice)),
    blocks: [
      ...noticeSectionsOf(notice).flatMap(({ title, items, more }): SlackBlock[] => [
        ...(title ? [{ type: 'section' as const, text: mrkdwn(`*${title}*`) }] : []),
        ...items.map(itemOf),
        ...(more ? [{ type: 'section' as const, text: mrkdwn(slackLink(links.open, more)) }] : []),
      ]),
      { type: 'context', elements: [mrkdwn(foot.filter(Boolean).join(' · '))] },
    ],
  };
};
