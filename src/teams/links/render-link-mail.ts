import { html, mailButton, mailLink, mailQuiet, renderMailPage } from '../../platform/index.ts';

/** What an email with a sign-in link says. */
export type LinkLetter = { subject: string; title: string; why: string; button: string; limits: string };

/** The HTML and plain-text versions say the same thing. */
export const renderLinkMail = (address: string, { subject, title, why, button, limits }: LinkLetter) => ({
  subject,
  html: renderMailPage({
    title,
    preheader: why,
    content: html`<p style="margin:0 0 16px">${why}</p>
${mailButton(address, button)}${mailQuiet(html`Or open this link: ${mailLink(address, address)}`)}`,
    foot: limits,
  }),
  text: `${why} Use this link to sign in:\n\n${address}\n\n${limits}\n`,
});
