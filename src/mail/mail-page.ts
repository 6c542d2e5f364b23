import { type Html, html } from '../platform/index.ts';

/** Colors for light mode, which are written inline, and for dark mode. */
const COLORS = {
  ground: ['#faf8f4', '#16181b'],
  sheet: ['#ffffff', '#1f2226'],
  ink: ['#1d2126', '#e9e6df'],
  quiet: ['#5a6068', '#a3a8ae'],
  line: ['#ddd8cd', '#3a4046'],
  link: ['#0b5d4e', '#6fd3bd'],
  onLink: ['#ffffff', '#10211d'],
} as const;

const FONT = '-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
/** A preview pane would cut off a wider email. */
const WIDTH = 600;

export const MAIL_QUIET = `color:${COLORS.quiet[0]};font-size:13px`;
export const MAIL_HEADING = 'margin:28px 0 8px;font-size:17px;line-height:1.3';
export const MAIL_LINE = `border-top:1px solid ${COLORS.line[0]}`;

/** The attributes of a table for layout. Outlook on Windows supports no other layout. */
export const LAYOUT_TABLE = html`role="presentation" cellpadding="0" cellspacing="0" border="0"`;

/** A background color. Outlook on Windows only honors the attribute, some others only the style. */
export const mailFill = (color: string, style: string): Html =>
  html`bgcolor="${color}" style="background-color:${color};${style}"`;

/** Style rules for dark mode. Each overrides an inline style. */
export const mailDark = (rules: Readonly<Record<string, string>>): string =>
  Object.entries(rules)
    .map(([selector, declaration]) => `${selector}{${declaration}!important}`)
    .join('');

const DARK = mailDark({
  '.ground': `background-color:${COLORS.ground[1]}`,
  '.sheet': `background-color:${COLORS.sheet[1]}`,
  '.ink': `color:${COLORS.ink[1]}`,
  '.quiet': `color:${COLORS.quiet[1]}`,
  '.line': `border-color:${COLORS.line[1]}`,
  '.link': `color:${COLORS.link[1]}`,
  '.button': `background-color:${COLORS.link[1]}`,
  '.on-link': `color:${COLORS.onLink[1]}`,
});

export const mailLink = (url: string, name: Html | string): Html =>
  html`<a class="link" href="${url}" style="color:${COLORS.link[0]}">${name}</a>`;

export const mailButton = (url: string, name: string): Html =>
  html`<table ${LAYOUT_TABLE}><tr><td class="button" ${mailFill(COLORS.link[0], 'padding:10px 18px;border-radius:8px')}><a class="on-link" href="${url}" style="color:${COLORS.onLink[0]};font-weight:bold;text-decoration:none">${name}</a></td></tr></table>
`;

export const mailQuiet = (content: Html | string): Html =>
  html`<p class="quiet" style="margin:8px 0;${MAIL_QUIET}">${content}</p>
`;

type MailPage = {
  title: string;
  /** A quiet line above the heading. */
  kicker?: string;
  /** Default: the title. */
  heading?: string;
  /** What an inbox shows beside the subject. */
  preheader: string;
  content: Html;
  /** Why the reader gets this, and how to stop it. */
  foot: Html | string;
  /** More rules for dark mode: see `mailDark`. */
  dark?: string;
};

/**
 * Renders the HTML version of an email. Styles are inline, because some clients drop style sheets. Dark mode has a
 * sheet of its own, because Gmail drops a whole sheet if it contains a rule that it doesn't know. Outlook on Windows
 * ignores padding except on cells. It also ignores fonts set outside a table, so the first sheet sets the font of every
 * element.
 */
export const renderMailPage = ({
  title,
  kicker,
  heading = title,
  preheader,
  content,
  foot,
  dark = '',
}: MailPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${title}</title>
<style>body,table,td,th,p,h1,h2,a{font-family:${FONT}}</style>
<style>:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${DARK}${dark}}</style>
</head>
<body class="ground" bgcolor="${COLORS.ground[0]}" style="margin:0;background-color:${COLORS.ground[0]}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;color:${COLORS.ground[0]}">${preheader}</div>
<table class="ground" ${LAYOUT_TABLE} width="100%" ${mailFill(COLORS.ground[0], 'width:100%;table-layout:fixed')}><tr><td align="center" style="padding:24px 8px">
<table class="sheet" ${LAYOUT_TABLE} width="${WIDTH}" ${mailFill(COLORS.sheet[0], `width:${WIDTH}px;max-width:100%;border-radius:12px`)}><tr><td class="ink" align="left" style="padding:24px;color:${COLORS.ink[0]};font-family:${FONT};font-size:16px;line-height:1.5;word-break:break-word">
${
  kicker &&
  html`<p class="quiet" style="margin:0 0 2px;${MAIL_QUIET}">${kicker}</p>
`
}<h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">${heading}</h1>
${content}</td></tr></table>
<table ${LAYOUT_TABLE} width="${WIDTH}" style="width:${WIDTH}px;max-width:100%"><tr><td class="quiet" align="left" style="padding:16px 24px;${MAIL_QUIET};font-family:${FONT};line-height:1.5;word-break:break-word">${foot}</td></tr></table>
</td></tr></table>
</body>
</html>
`.toString();
