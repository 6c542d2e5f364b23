import { mailButton, mailLink, mailQuiet, renderMailPage } from '../../mail/index.ts';
import { html } from '../../platform/index.ts';

/** The texts of an email with a sign-in link. */
export type LinkLetter = { subject: string; title: string; why: string; button: string; limits: string };

/** Renders the HTML and plain-text versions, which say the same thing. */
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
