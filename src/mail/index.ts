/** How every email looks, and what may stand in one: no line breaks in headers, no links of strangers. */
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
