import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { choice, field, postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { hoursFields, hoursTable } from './hours-part.ts';
import type { TeamForm } from './team-form.ts';

/** Today's names of zones that the list still has by their old ones. */
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

/** With the team's own, which may be an older name that is still understood. */
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
<section class="sheet"><h2>What is kept, and for how long</h2>
${field({ name: 'recordingDays', label: 'Recordings, in days', type: 'number', value: form.recordingDays, hint: 'Leave it empty to keep them for ever.' })}
${field({ name: 'payloadDays', label: 'Payloads, in days', type: 'number', value: form.payloadDays, required: true, hint: 'What telephony providers have sent, word for word. The calls made from it stay.' })}</section>`,
  });

const readable = ({ name, timeZone, recordingDays, payloadDays, days }: TeamForm, hasHours: boolean): Html =>
  html`<section class="sheet"><h2>Team</h2>
<dl><dt>Name</dt><dd>${name}</dd><dt>Time zone</dt><dd>${timeZone}</dd>
<dt>Recordings</dt><dd>${recordingDays === '' ? 'kept for ever' : `kept for ${recordingDays} days`}</dd>
<dt>Payloads</dt><dd>kept for ${payloadDays} days</dd></dl>
<h3>Business hours</h3>
${hasHours ? hoursTable(days) : html`<p>None are set.</p>`}</section>
<p class="quiet">An admin of the team can change this.</p>`;

export const teamPage = (person: Person, form: TeamForm, notice: Html | null): Page => ({
  title: 'Settings',
  content: html`${settingsTabs(person, 'team')}${notice}
${person.role === 'admin' ? editable(form, person.csrfToken) : readable(form, person.team.businessHours !== null)}`,
});
