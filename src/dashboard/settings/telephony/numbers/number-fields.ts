import { type Html, html } from '../../../../platform/index.ts';
import type { AccountName, ProviderInfo } from '../../../../telephony/index.ts';
import { choice, field } from '../../../form.ts';
import { accountName } from '../accounts/account-state.ts';
import { checkBox, textArea } from '../fields.ts';
import { LABELS, type NumberForm } from './number-form.ts';

export type NumberFieldsView = {
  form: NumberForm;
  providers: readonly ProviderInfo[];
  accounts: readonly AccountName[];
  /** The number has hours of its own, which only the API can change. */
  hasOwnHours: boolean;
  teamHasHours: boolean;
};

const numberPart = ({ form, providers, accounts }: NumberFieldsView): Html =>
  html`${field({ name: 'number', label: LABELS.number, value: form.number, required: true, placeholder: '+15551230001', hint: 'With country code.' })}
${field({ name: 'label', label: LABELS.label, value: form.label, hint: 'What it is called here, if you like.' })}
${choice({
  name: 'account',
  label: LABELS.account,
  value: form.account,
  options: accounts.map((account) => ({ value: account.id, label: accountName(providers, account) })),
})}`;

const callPart = ({ form }: NumberFieldsView): Html =>
  html`${textArea({ name: 'greeting', label: LABELS.greeting, value: form.greeting, rows: 2, hint: 'Said first. Empty: nothing is said.' })}
${textArea({ name: 'forwardTo', label: LABELS.forwardTo, value: form.forwardTo, rows: 3, hint: 'One on each line, with country code, ten at most. Empty: nobody rings.' })}
${field({ name: 'ringSeconds', label: LABELS.ringSeconds, type: 'number', value: form.ringSeconds, hint: 'From 5 to 120; 20 where it is empty.' })}
${checkBox({ name: 'screen', label: 'Whoever picks up presses a key first', checked: form.screen === 'on', hint: 'So that a mailbox is not taken for a person.' })}`;

const messagePart = ({ form }: NumberFieldsView): Html =>
  html`${checkBox({ name: 'voicemail', label: 'The caller may leave a message', checked: form.voicemail === 'on' })}
${textArea({ name: 'voicemailPrompt', label: LABELS.voicemailPrompt, value: form.voicemailPrompt, rows: 2, hint: 'Empty: that nobody can take the call, and to leave a message.' })}`;

const recordPart = ({ form }: NumberFieldsView): Html =>
  html`${checkBox({ name: 'record', label: 'Record the call', checked: form.record === 'on', hint: 'Once it is forwarded. The caller is always told first.' })}
${textArea({ name: 'notice', label: LABELS.notice, value: form.notice, rows: 2, hint: 'Said before a recorded call is forwarded. Empty: that it may be recorded.' })}`;

const RINGS = [
  { value: 'same', label: 'The same phones ring' },
  { value: 'nobody', label: 'Nobody rings' },
  { value: 'these', label: 'These phones ring:' },
];
const MESSAGES = [
  { value: 'same', label: 'As during the hours' },
  { value: 'yes', label: 'The caller may leave a message' },
  { value: 'no', label: 'No message' },
];

const hoursPart = ({ form, hasOwnHours, teamHasHours }: NumberFieldsView): Html =>
  html`${choice({
    name: 'hours',
    label: 'Hours',
    value: form.hours,
    options: [
      { value: '', label: 'Answered alike at all hours' },
      { value: 'team', label: 'Differently outside the team’s business hours' },
      ...(hasOwnHours ? [{ value: 'own', label: 'Differently outside its own hours, as the API has set them' }] : []),
    ],
  })}
<p class="hint">The business hours are set with <a href="/settings">the team</a>${teamHasHours ? '' : '. None are set yet, so that it is always open'}.</p>
<div class="phone-outside">${choice({ name: 'outsideRings', label: 'Phones, outside the hours', value: form.outsideRings || 'nobody', options: RINGS })}
<div class="phone-others">${textArea({ name: 'outsideForwardTo', label: 'Other phones that ring', value: form.outsideForwardTo, rows: 2, hint: 'One on each line.' })}</div>
${textArea({ name: 'outsideGreeting', label: 'Greeting, outside the hours', value: form.outsideGreeting, rows: 2, hint: 'Empty: the same greeting.' })}
${choice({ name: 'outsideVoicemail', label: 'Message, outside the hours', value: form.outsideVoicemail || 'same', options: MESSAGES })}
${textArea({ name: 'outsidePrompt', label: 'Said before the tone, outside the hours', value: form.outsidePrompt, rows: 2, hint: 'Empty: the same.' })}</div>`;

const part = (legend: string, content: Html): Html => html`<fieldset><legend>${legend}</legend>${content}</fieldset>`;

/** Everything that is said of a number. */
export const numberFields = (view: NumberFieldsView): Html =>
  html`${part('The number', numberPart(view))}
${part('When somebody calls', callPart(view))}
${part('If nobody takes the call', messagePart(view))}
${part('Recording', recordPart(view))}
${part('Outside the hours', hoursPart(view))}`;
