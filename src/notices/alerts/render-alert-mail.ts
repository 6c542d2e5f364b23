import { MAIL_HEADING, mailLink, renderMailPage, toOneLine } from '../../mail/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { headlineOf, type Notice, type NoticeItem, type NoticeSection, noticeSectionsOf } from './notice.ts';

/** Omits the title of an item if it is the same as the headline. */
const titlesOf = ({ title }: NoticeItem, headline: string): string[] => (title === headline ? [] : [title]);

const itemOf = (item: NoticeItem, headline: string): Html | null => {
  const parts = [
    ...titlesOf(item, headline).map((title) => html`<strong>${title}</strong>`),
    ...item.lines.map((line) => html`${line}`),
    ...(item.link ? [mailLink(item.link.url, item.link.name)] : []),
  ];
  if (parts.length === 0) return null;
  return html`<p style="margin:16px 0">${parts.map((part, index) => html`${index > 0 && html`<br>`}${part}`)}</p>
`;
};

const sectionOf = ({ title, items, more }: NoticeSection, headline: string, open: string): Html =>
  html`${title && html`<h2 style="${MAIL_HEADING}">${title}</h2>`}${items.map((item) => itemOf(item, headline))}${more && html`<p style="margin:16px 0">${mailLink(open, more)}</p>`}`;

const WHY = (team: string): string =>
  `You get this because you are an admin of ${team}. Everything that's open, and what to be told about:`;

const textOf = ({ title, items, more }: NoticeSection, headline: string): string[] => [
  ...(title ? [title] : []),
  ...items.map((item) =>
    [...titlesOf(item, headline), ...item.lines, ...(item.link ? [item.link.url] : [])].join('\n'),
  ),
  ...(more ? [more] : []),
];

/** The preview text in an inbox. It doesn't repeat the headline, which is the subject already. */
const preheaderOf = ([first]: readonly NoticeSection[], team: string): string => first?.items[0]?.lines[0] ?? team;

/** Renders the HTML and plain-text versions, which say the same thing. */
export const renderAlertMail = (notice: Notice): { subject: string; html: string; text: string } => {
  const { links } = notice;
  const team = toOneLine(notice.team) || 'your team';
  const headline = headlineOf(notice);
  const sections = noticeSectionsOf(notice);
  return {
    subject: `${headline} · ${team}`,
    html: renderMailPage({
      title: headline,
      preheader: preheaderOf(sections, team),
      content: html`${sections.map((section) => sectionOf(section, headline, links.open))}`,
      foot: html`${WHY(team)}<br>
${mailLink(links.open, 'Open alerts')} · ${mailLink(links.settings, 'Turn alerts on or off')}`,
    }),
    text: [
      headline,
      ...sections.flatMap((section) => textOf(section, headline)),
      `${WHY(team)}\nOpen alerts: ${links.open}\nTurn alerts on or off: ${links.settings}\n`,
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
  };
};
