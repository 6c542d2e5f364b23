/** Text with `verbatim`, so that Slack makes no mention or link out of a name ("@channel", "example.com"). */
export type Mrkdwn = { type: 'mrkdwn'; text: string; verbatim: true };
export type SlackBlock =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text?: Mrkdwn; fields?: Mrkdwn[] }
  | { type: 'context'; elements: Mrkdwn[] };
export type SlackMessage = { text: string; blocks: SlackBlock[] };

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const escapeMrkdwn = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);

export const mrkdwn = (text: string): Mrkdwn => ({ type: 'mrkdwn', text, verbatim: true });

/** A link in Slack's format. A `|` in the URL is escaped, because it would start the label. */
export const slackLink = (address: string, name: string): string =>
  `<${escapeMrkdwn(address.replaceAll('|', '%7C'))}|${name}>`;
