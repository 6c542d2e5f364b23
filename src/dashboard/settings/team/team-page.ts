import { type Html, html } from '../../../platform/index.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { HOURS_SCRIPT, type HoursNote, hoursFields, hoursTable } from './hours-fields.ts';
import type { TeamForm } from './team-form.ts';
import { zoneOptions } from './zone-options.ts';

/** Hidden at the start of the form. Enter in a field presses the first button, which would otherwise copy hours. */
const SAVES_ON_ENTER = html`<button class="unseen" tabindex="-1" aria-hidden="true">Save</button>`;

const editable = (person: Person, form: TeamForm, note: HoursNote): Html =>
  postForm(person, {
    action: '/settings',
    button: 'Save',
    content: html`${SAVES_ON_ENTER}<section class="sheet"><h2>Team</h2>
${field({ name: 'name', label: 'Name', value: form.name, required: true })}
${choice({ name: 'timeZone', label: 'Time zone', value: form.timeZone, options: zoneOptions(form.timeZone) })}
${hoursFields(form, note)}</section>
<section class="sheet"><h2>Data retention</h2>
${field({ name: 'recordingDays', label: 'Keep recordings for (days)', type: 'number', value: form.recordingDays, hint: 'Leave empty to keep them forever.' })}
${field({ name: 'payloadDays', label: 'Keep original requests for (days)', type: 'number', value: form.payloadDays, required: true, hint: 'What your telephony providers sent about each call, word for word. The calls themselves are kept.' })}</section>`,
  });

const readable = ({ region }: Person, { name, timeZone, recordingDays, payloadDays, hasHours, days }: TeamForm): Html =>
  html`<section class="sheet"><h2>Team</h2>
${factList([
  ['Name', name],
  ['Time zone', timeZone],
  ['Recordings', recordingDays === '' ? 'kept forever' : `kept for ${recordingDays} days`],
  ['Original requests', `kept for ${payloadDays} days`],
])}
<h3>Business hours</h3>
${hasHours ? hoursTable(days, region.hourCycle) : html`<p>Not set.</p>`}</section>
<p class="quiet">A team admin can change this.</p>`;

export const teamPage = (person: Person, form: TeamForm, note: HoursNote = {}): DashboardPage => ({
  title: 'Settings',
  scripts: [HOURS_SCRIPT.name],
  content: person.role === 'admin' ? editable(person, form, note) : readable(person, form),
});
