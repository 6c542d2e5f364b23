import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { choice, field, postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { hoursFields, hoursTable } from './hours-part.ts';
import type { TeamForm } from './team-form.ts';

/** Current names of zones that the list still has under their old ones. */
const NEW_NAMES = [
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'America/Nuuk',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];
const ZONES: readonly string[] = ['UTC', ...[...new Set([...Intl.supportedValuesOf('timeZone'), ...NEW_NAMES])].sort()];

/** Includes the team's own, which may be an older name that still works. */
const zoneOptions = (current: string) =>
  (ZONES.includes(current) ? ZONES : [current, ...ZONES]).map((zone) => ({ value: zone, label: zone }));

const editable = (form: TeamForm, csrfToken: string): Html =>
  postForm({
    action: '/settings',
    csrfToken,
    button: 'Save',
    content: html`<section class="sheet"><h2>Team</h2>
${field({ name: 'name', label: 'Name', value: form.name, required: true })}
${choice({ name: 'timeZone', label: 'Time zone', value: form.timeZone, options: zoneOptions(form.timeZone) })}
${hoursFields(form.hasHours, form.days)}</section>
<section class="sheet"><h2>Data retention</h2>
${field({ name: 'recordingDays', label: 'Keep recordings for (days)', type: 'number', value: form.recordingDays, hint: 'Leave empty to keep them forever.' })}
${field({ name: 'payloadDays', label: 'Keep payloads for (days)', type: 'number', value: form.payloadDays, required: true, hint: 'The raw requests from your telephony providers. Calls built from them stay.' })}</section>`,
  });

const readable = ({ name, timeZone, recordingDays, payloadDays, days }: TeamForm, hasHours: boolean): Html =>
  html`<section class="sheet"><h2>Team</h2>
<dl><dt>Name</dt><dd>${name}</dd><dt>Time zone</dt><dd>${timeZone}</dd>
<dt>Recordings</dt><dd>${recordingDays === '' ? 'kept forever' : `kept for ${recordingDays} days`}</dd>
<dt>Payloads</dt><dd>kept for ${payloadDays} days</dd></dl>
<h3>Business hours</h3>
${hasHours ? hoursTable(days) : html`<p>Not set.</p>`}</section>
<p class="quiet">A team admin can change this.</p>`;

export const teamPage = (person: Person, form: TeamForm, notice: Html | null): Page => ({
  title: 'Settings',
  content: html`${settingsTabs(person, 'team')}${notice}
${person.role === 'admin' ? editable(form, person.csrfToken) : readable(form, person.team.businessHours !== null)}`,
});
