import { Type } from '../../../../platform/index.ts';
import type { Answer, NumberView, NumberWish } from '../../../../telephony/index.ts';
import type { ExplainError } from '../../../notice.ts';
import { fromSpeechField, toSpeechField } from './speech-words.ts';

const Text = Type.Optional(Type.String({ maxLength: 4_000 }));

export const NumberBody = Type.Object({
  number: Text,
  label: Type.Optional(Type.String({ maxLength: 200 })),
  account: Text,
  greeting: Text,
  speech: Text,
  forwardTo: Text,
  ringSeconds: Text,
  screen: Text,
  voicemail: Text,
  voicemailPrompt: Text,
  record: Text,
  notice: Text,
  transcribe: Text,
  hours: Text,
  outsideRings: Text,
  outsideForwardTo: Text,
  outsideGreeting: Text,
  outsideVoicemail: Text,
  outsidePrompt: Text,
});

/** The form's values. A checkbox is `on` or empty. */
export type NumberForm = Readonly<Record<keyof typeof NumberBody.properties, string>>;

const BLANK = Object.fromEntries(Object.keys(NumberBody.properties).map((name) => [name, ''])) as NumberForm;

export const fillIn = (given: Partial<NumberForm>): NumberForm => ({ ...BLANK, ...given });

/** The defaults of a new number: callers can leave a message. */
export const newNumberForm = (account: string): NumberForm => fillIn({ account, ringSeconds: '20', voicemail: 'on' });

const boxOf = (value: boolean): string => (value ? 'on' : '');
const linesOf = (numbers: readonly string[] = []): string => numbers.join('\n');

type Outside = NonNullable<Answer['hours']>['outside'];

const outsideFields = ({ forwardTo, greeting, voicemail, voicemailPrompt }: Outside): Partial<NumberForm> => ({
  outsideRings: forwardTo === undefined ? 'same' : forwardTo.length === 0 ? 'nobody' : 'these',
  outsideForwardTo: linesOf(forwardTo),
  outsideGreeting: greeting ?? '',
  outsideVoicemail: voicemail === undefined ? 'same' : voicemail ? 'yes' : 'no',
  outsidePrompt: voicemailPrompt ?? '',
});

export const toNumberForm = ({ number, label, account, answer }: NumberView): NumberForm => {
  const { hours } = answer;
  return fillIn({
    number,
    label: label ?? '',
    account,
    greeting: answer.greeting ?? '',
    speech: toSpeechField(answer.speech),
    forwardTo: linesOf(answer.forwardTo),
    ringSeconds: answer.ringSeconds === undefined ? '' : String(answer.ringSeconds),
    screen: boxOf(answer.screen ?? false),
    voicemail: boxOf(answer.voicemail ?? true),
    voicemailPrompt: answer.voicemailPrompt ?? '',
    record: boxOf(answer.record ?? false),
    notice: answer.notice ?? '',
    transcribe: answer.transcribe ?? 'off',
    hours: hours ? (hours.open ? 'own' : 'team') : '',
    ...(hours && outsideFields(hours.outside)),
  });
};

/** Reads one number per line, and removes punctuation. */
const toNumbers = (lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.replace(/[\s().-]/g, ''))
    .filter((line) => line !== '');

/**
 * A spoken text, left out if it's empty. But if it was null before, which means "say nothing", it stays null: leaving
 * it out means "same as during business hours".
 */
const spoken = <Name extends string>(name: Name, text: string, before?: string | null) => {
  const said = text.trim().replaceAll('\r', '');
  return (said !== '' ? { [name]: said } : before === null ? { [name]: null } : {}) as {
    [Key in Name]?: string | null;
  };
};

/** The settings outside business hours. Those that the form doesn't show stay as they are. */
const toOutside = (form: NumberForm, before: Outside): Outside => {
  const { forwardTo: _rings, greeting, voicemail: _voicemail, voicemailPrompt, ...unshown } = before;
  const rings = { same: {}, nobody: { forwardTo: [] }, these: { forwardTo: toNumbers(form.outsideForwardTo) } };
  const voicemail = { same: {}, yes: { voicemail: true }, no: { voicemail: false } };
  return {
    ...unshown,
    ...(rings[form.outsideRings as keyof typeof rings] ?? {}),
    ...spoken('greeting', form.outsideGreeting, greeting),
    ...(voicemail[form.outsideVoicemail as keyof typeof voicemail] ?? {}),
    ...spoken('voicemailPrompt', form.outsidePrompt, voicemailPrompt),
  };
};

const toHours = (form: NumberForm, before: Answer['hours']): Pick<Answer, 'hours'> => {
  if (form.hours !== 'team' && form.hours !== 'own') return {};
  const open = form.hours === 'own' ? (before?.open ?? null) : null;
  return { hours: { open, outside: toOutside(form, before?.outside ?? {}) } };
};

/** Without a choice, there are no transcripts, as without the setting. */
const toTranscribe = (chosen: string): Pick<Answer, 'transcribe'> =>
  chosen === 'provider' || chosen === 'own' ? { transcribe: chosen } : {};

export const toNumberWish = (form: NumberForm, before: Answer = {}): NumberWish => ({
  number: form.number,
  label: form.label.trim() || null,
  account: form.account,
  answer: {
    ...spoken('greeting', form.greeting),
    ...fromSpeechField(form.speech),
    forwardTo: toNumbers(form.forwardTo),
    ...(form.ringSeconds.trim() === '' ? {} : { ringSeconds: Number(form.ringSeconds) }),
    screen: form.screen === 'on',
    voicemail: form.voicemail === 'on',
    ...spoken('voicemailPrompt', form.voicemailPrompt),
    record: form.record === 'on',
    ...spoken('notice', form.notice),
    ...toTranscribe(form.transcribe),
    ...toHours(form, before.hours),
  },
});

export const LABELS = {
  number: 'Number',
  label: 'Label',
  account: 'Account',
  greeting: 'Greeting',
  speech: 'Voice',
  forwardTo: 'Phones to ring',
  ringSeconds: 'Ring time in seconds',
  voicemailPrompt: 'Prompt before the tone',
  notice: 'Recording notice',
  transcribe: 'Transcripts',
} as const;

const isLabelled = (name: string): name is keyof typeof LABELS => Object.hasOwn(LABELS, name);

export const explainNumberError: ExplainError = ({ path, message }) => {
  const places = path.split('.');
  const field = places.find(isLabelled);
  const label = field ? LABELS[field] : path;
  return {
    name: places.includes('outside') ? `${label} outside business hours` : label,
    // The schema's message is about one number, but the field has many.
    message:
      field === 'forwardTo' && message.startsWith('has the wrong format')
        ? 'must be phone numbers with a country code, like +15551230001, one per line'
        : message,
  };
};
