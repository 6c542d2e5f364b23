import { type Html, html } from '../../../../platform/index.ts';
import type { AccountName, NumberView, ProviderInfo } from '../../../../telephony/index.ts';
import { copyable } from '../../../display/copy-button.ts';
import { phoneWords } from '../../../display/phone.ts';
import { checkBox, choice, field, postForm, textArea } from '../../../form.ts';
import type { DashboardPage } from '../../../frame.ts';
import type { Person } from '../../../person.ts';
import { accountName, DEMO } from '../accounts/account-state.ts';
import { previewWords } from './answer-words.ts';
import { LABELS, type NumberForm } from './number-form.ts';
import { speechOption, speechOptions } from './speech-words.ts';

export const NUMBERS = '/settings/telephony/numbers';

export type NumberPageView = {
  form: NumberForm;
  providers: readonly ProviderInfo[];
  accounts: readonly AccountName[];
  /** True if the number has its own hours, which only the API can change. */
  hasOwnHours: boolean;
  teamHasHours: boolean;
  /** The host of the operator's transcription server. Null if there is none. */
  transcriber: string | null;
  /** What is left to do until calls can come in. */
  todo?: Html | null;
};

const numberPart = ({ form, providers, accounts }: NumberPageView): Html =>
  html`${field({ name: 'number', label: LABELS.number, value: form.number, required: true, placeholder: '+15551230001', hint: 'Include the country code.' })}
${field({ name: 'label', label: LABELS.label, value: form.label, hint: 'Optional. What to call it in Patchbay.' })}
${choice({
  name: 'account',
  label: LABELS.account,
  value: form.account,
  options: accounts.map((account) => ({ value: account.id, label: accountName(providers, account) })),
})}`;

/** The provider whose voices can be chosen: that of this account, or of the first one if no account is chosen yet. */
const speakerOf = ({ providers, accounts }: NumberPageView, accountId: string): ProviderInfo | undefined => {
  const account = accounts.find(({ id }) => id === accountId) ?? accounts[0];
  return providers.find(({ id }) => id === account?.provider);
};

const voicePart = (view: NumberPageView): Html | null => {
  const { form, accounts } = view;
  const provider = speakerOf(view, form.account);
  if (!provider) return null;
  const isOnlyOne = accounts.every((account) => account.provider === provider.id);
  return choice({
    name: 'speech',
    label: LABELS.speech,
    value: speechOption(provider, form.speech),
    options: speechOptions(provider),
    hint: `Speaks all of your texts, so write them in its language. Texts that you leave empty are spoken in English.${isOnlyOne ? '' : ` These are ${provider.name}'s voices. To choose one of another provider, choose its account and save first.`}`,
  });
};

const callPart = (view: NumberPageView): Html => {
  const { form } = view;
  return html`${textArea({ name: 'greeting', label: LABELS.greeting, value: form.greeting, rows: 2, hint: 'Spoken first. Leave empty for no greeting.' })}
${voicePart(view)}
${textArea({ name: 'forwardTo', label: LABELS.forwardTo, value: form.forwardTo, rows: 3, hint: 'One per line with country code, up to ten. Leave empty to ring no one.' })}
${field({ name: 'ringSeconds', label: LABELS.ringSeconds, type: 'number', value: form.ringSeconds, hint: 'From 5 to 120. Leave empty for 20.' })}
${checkBox({ name: 'screen', label: 'Require a key press to accept', checked: form.screen === 'on', hint: "So that a voicemail box isn't mistaken for a person." })}`;
};

const messagePart = ({ form }: NumberPageView): Html =>
  html`${checkBox({ name: 'voicemail', label: 'Callers can leave a message', checked: form.voicemail === 'on' })}
${textArea({ name: 'voicemailPrompt', label: LABELS.voicemailPrompt, value: form.voicemailPrompt, rows: 2, hint: 'Leave empty to say that no one is available and ask for a message.' })}`;

/** Offers what can be made, and what is set although it can't be made anymore. Says where the audio goes. */
const transcriptPart = (view: NumberPageView): Html | null => {
  const { form, transcriber } = view;
  const provider = speakerOf(view, form.account);
  const canProvider = provider?.transcribes === true || form.transcribe === 'provider';
  const canOwn = transcriber !== null || form.transcribe === 'own';
  if (!canProvider && !canOwn) return null;
  const name = provider?.name ?? 'the provider';
  return choice({
    name: 'transcribe',
    label: LABELS.transcribe,
    value: form.transcribe || 'off',
    options: [
      { value: 'off', label: 'None' },
      ...(canProvider ? [{ value: 'provider', label: `Voicemails, by ${name}` }] : []),
      ...(canOwn
        ? [{ value: 'own', label: `All recordings, by ${transcriber ?? 'a server that is no longer set'}` }]
        : []),
    ],
    hint: [
      'A machine turns recordings into text, and may be wrong.',
      ...(canProvider
        ? [`${name} has the audio anyway, may charge for the text, and doesn't get it from Patchbay.`]
        : []),
      ...(transcriber !== null
        ? [`${transcriber} is set by your Patchbay administrator, and gets the audio of each recording.`]
        : []),
    ].join(' '),
  });
};

const recordPart = ({ form }: NumberPageView): Html =>
  html`${checkBox({ name: 'record', label: 'Record calls', checked: form.record === 'on', hint: 'Starts when a call is forwarded. Callers are always told first.' })}
${textArea({ name: 'notice', label: LABELS.notice, value: form.notice, rows: 2, hint: 'Spoken before a recorded call is forwarded. Leave empty to say that the call may be recorded.' })}`;

const RINGS = [
  { value: 'same', label: 'Ring the same phones' },
  { value: 'nobody', label: 'Ring no one' },
  { value: 'these', label: 'Ring these phones:' },
];
const MESSAGES = [
  { value: 'same', label: 'Same as during business hours' },
  { value: 'yes', label: 'Callers can leave a message' },
  { value: 'no', label: 'No messages' },
];

const hoursPart = ({ form, hasOwnHours, teamHasHours }: NumberPageView): Html =>
  html`${choice({
    name: 'hours',
    label: 'Hours',
    value: form.hours,
    options: [
      { value: '', label: 'Same at all hours' },
      { value: 'team', label: "Different outside your team's business hours" },
      ...(hasOwnHours ? [{ value: 'own', label: 'Different outside its own hours, set through the API' }] : []),
    ],
  })}
<p class="hint">Business hours are part of the <a href="/settings">team settings</a>${teamHasHours ? '' : ". None are set yet, so you're always open"}.</p>
<div class="phone-outside">${choice({ name: 'outsideRings', label: 'Phones outside business hours', value: form.outsideRings || 'nobody', options: RINGS })}
<div class="phone-others">${textArea({ name: 'outsideForwardTo', label: 'Other phones to ring', value: form.outsideForwardTo, rows: 2, hint: 'One per line.' })}</div>
${textArea({ name: 'outsideGreeting', label: 'Greeting outside business hours', value: form.outsideGreeting, rows: 2, hint: 'Leave empty for the same greeting.' })}
${choice({ name: 'outsideVoicemail', label: 'Messages outside business hours', value: form.outsideVoicemail || 'same', options: MESSAGES })}
${textArea({ name: 'outsidePrompt', label: 'Prompt before the tone outside business hours', value: form.outsidePrompt, rows: 2, hint: 'Leave empty for the same prompt.' })}</div>`;

const part = (legend: string, content: Html): Html => html`<fieldset><legend>${legend}</legend>${content}</fieldset>`;

/** All fields of a number. */
const numberFields = (view: NumberPageView): Html =>
  html`${part('Number', numberPart(view))}
${part('When someone calls', callPart(view))}
${part('If no one answers', messagePart(view))}
${part(
  'Recording',
  html`${recordPart(view)}
${transcriptPart(view)}`,
)}
${part('Outside business hours', hoursPart(view))}`;

export const newNumberPage = (person: Person, view: NumberPageView): DashboardPage => ({
  title: 'Add a number',
  content:
    view.accounts.length === 0
      ? html`<div class="empty"><p>A number belongs to a telephony account, so add that first.</p>
<p><a class="button" href="/settings/telephony/accounts/new">Add an account</a></p></div>`
      : html`<div class="sheet phone-form">${postForm(person, { action: `${NUMBERS}/new`, button: 'Add number', content: numberFields(view) })}</div>
<p><a href="/settings/telephony">Back</a></p>`,
});

/** The note on the demo's number, which can't be changed. */
const demoNote = html`<section class="sheet"><h2>Demo</h2>
<p>Demo calls come in on this number. Nobody else can call it, so it can't be changed.</p></section>`;

/** The page of a number. Shows what callers hear with the saved settings. */
export const numberPage = (person: Person, number: NumberView, view: NumberPageView): DashboardPage => {
  const speaker = speakerOf(view, number.account);
  return {
    title: [phoneWords(number.number, person.region), number.label].filter(Boolean).join(' · '),
    content: html`<p>${copyable('number', number.number)} · ${number.simulated && html`${DEMO} · `}<a href="/settings/telephony">All accounts and numbers</a></p>
${view.todo}<div class="phone-number">
<section class="sheet phone-preview"><h2>What callers hear</h2>${speaker && previewWords(speaker, number.answer, person.region)}</section>
${
  number.simulated
    ? demoNote
    : html`<div class="sheet phone-form">${postForm(person, { action: `${NUMBERS}/${number.id}`, button: 'Save', content: numberFields(view) })}</div>`
}
</div>
<section class="sheet"><h2>Remove</h2>
<p>Callers will hear that the number is not in service. Its calls and recordings stay.</p>
<p><a class="button danger" href="${NUMBERS}/${number.id}/remove">Remove number…</a></p></section>`,
  };
};
