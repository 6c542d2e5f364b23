import { type Plan, planReply } from './answer-plan.ts';
import { type Answer, settingsWhen } from './answer-settings.ts';
import type { SpokenLanguage } from './speech.ts';

/** What a caller hears first and, if phones are dialed, what follows if nobody answers. */
export type CallPreview = { first: Plan; unanswered: Plan | null };

/** How calls are answered. `closed` is null if that's the same at all hours. */
type AnswerPreview = { open: CallPreview; closed: CallPreview | null };

const previewCall = (answer: Answer, open: boolean, languages: readonly SpokenLanguage[]): CallPreview => {
  const settings = settingsWhen(answer, open, languages);
  const dials = settings.forwardTo.length > 0;
  return {
    first: planReply({ kind: 'answer' }, settings),
    unanswered: dials ? planReply({ kind: 'after_dial', reached: false }, settings) : null,
  };
};

/** Previews how calls are answered, with the voices of the number's provider. */
export const previewAnswer = (answer: Answer, languages: readonly SpokenLanguage[]): AnswerPreview => ({
  open: previewCall(answer, true, languages),
  closed: answer.hours ? previewCall(answer, false, languages) : null,
});
