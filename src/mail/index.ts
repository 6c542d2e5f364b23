/** How every email looks, and what it may contain: no line breaks in headers, and no links that strangers chose. */
export { leadsSomewhere } from './leads-somewhere.ts';
export {
  LAYOUT_TABLE,
  MAIL_HEADING,
  MAIL_LINE,
  MAIL_QUIET,
  mailButton,
  mailDark,
  mailFill,
  mailLink,
  mailQuiet,
  renderMailPage,
} from './mail-page.ts';
export { toOneLine } from './to-one-line.ts';
