import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../../platform/index.ts';
import type { Person } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { settingsTabs } from '../settings-tabs.ts';

export type TelephonyPage = {
  title: string;
  /** What was done, or why it was not. */
  notice?: Html | null;
  content: Html;
};

/** A telephony settings page, below the settings tabs. */
export const showTelephony = (
  reply: FastifyReply,
  person: Person,
  { title, notice, content }: TelephonyPage,
  status = 200,
): FastifyReply =>
  showPage(
    reply,
    person,
    'settings',
    { title, content: html`${settingsTabs(person, 'telephony')}${notice}${content}` },
    status,
  );
