import { type Html, html } from '../../platform/index.ts';
import type { Person } from '../person.ts';

const TABS = [
  { id: 'team', path: '/settings', name: 'Team' },
  { id: 'members', path: '/settings/members', name: 'Members' },
  { id: 'tokens', path: '/settings/tokens', name: 'Access tokens' },
  { id: 'sessions', path: '/settings/sessions', name: 'Sessions' },
  { id: 'telephony', path: '/settings/telephony', name: 'Telephony', adminOnly: true },
  { id: 'report', path: '/settings/report', name: 'Report' },
  { id: 'audit', path: '/settings/audit', name: 'Audit log' },
] as const;

export type SettingsTab = (typeof TABS)[number]['id'];

/** Shown above every settings page, with only the tabs this person may open. */
export const settingsTabs = ({ role }: Person, current: SettingsTab): Html =>
  html`<nav class="tabs" aria-label="Settings">${TABS.filter((tab) => role === 'admin' || !('adminOnly' in tab)).map(
    ({ id, path, name }) => html`<a href="${path}"${id === current ? html` aria-current="page"` : ''}>${name}</a>`,
  )}</nav>`;
