import {
  type Html,
  html,
  MAIL_HEADING,
  MAIL_LINK,
  MAIL_QUIET,
  renderMailPage,
  toOneLine,
} from '../../platform/index.ts';
import { headlineOf, type Notice, type NoticeItem, type NoticeSection, sectionsOf } from './notice.ts';

const linkOf = (url: string, name: string): Html =>
  html`<a class="link" href="${url}" style="${MAIL_LINK}">${name}</a>`;

const itemOf = ({ title, lines, link }: NoticeItem): Html =>
  html`<p style="margin:16px 0"><strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}${link && html`<br>${linkOf(link.url, link.name)}`}</p>
`;

const sectionOf = ({ title, items, more }: NoticeSection, open: string): Html =>
  html`${title && html`<h2 style="${MAIL_HEADING}">${title}</h2>`}${items.map(itemOf)}${more && html`<p style="margin:16px 0">${linkOf(open, more)}</p>`}`;

const WHY = (team: string): string =>
  `You get this because you are an admin of ${team}. Everything that's open, and what to be told about:`;

const textOf = ({ title, items, more }: NoticeSection): string =>
  [
    ...(title ? [title] : []),
    ...items.map(({ title: what, lines, link }) => [what, ...lines, ...(link ? [link.url] : [])].join('\n')),
    ...(more ? [more] : []),
  ].join('\n\n');

/** The HTML and plain-text versions say the same thing. */
export const renderAlertMail = (notice: Notice): { subject: string; html: string; text: string } => {
  const { links } = notice;
  const team = toOneLine(notice.team) || 'your team';
  const headline = headlineOf(notice);
  const sections = sectionsOf(notice);
  const foot = html`<p class="quiet" style="${MAIL_QUIET}">${WHY(team)}<br>
${linkOf(links.open, 'Open alerts')} · ${linkOf(links.settings, 'Turn alerts on or off')}</p>
`;
  return {
    subject: `${headline} · ${team}`,
    html: renderMailPage(headline, html`${sections.map((section) => sectionOf(section, links.open))}${foot}`),
    text: [
      headline,
      ...sections.map(textOf),
      `${WHY(team)}\nOpen alerts: ${links.open}\nTurn alerts on or off: ${links.settings}\n`,
    ].join('\n\n'),
  };
};
