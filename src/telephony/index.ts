/**
 * Phone calls of a team, whoever carries them: webhooks are verified, kept and answered from memory, and calls and
 * recordings are put together from them afterwards. What makes one provider differ from another is in its own
 * folder (`providers/`).
 */

export type { AccountAnswer } from './account-answer.ts';
export type { AccountName } from './account-store.ts';
export type { Verb } from './answer-plan.ts';
export type { Answer } from './answer-settings.ts';
export { OUTCOMES } from './call-answer.ts';
export { CSV_TYPE } from './call-csv.ts';
export type { CallStory } from './call-desk.ts';
export type { CallEvent, EndReason } from './call-event.ts';
export type { EndedCalls, Span } from './call-figures-store.ts';
export type { CallQuery } from './call-query.ts';
export type { CallSummary } from './call-summary.ts';
export { telephonyCommands } from './commands.ts';
export { listEveryRecording, listEveryRefusal, type PlainCall, readEveryCall } from './every-call-store.ts';
export { nameCallers } from './name-callers.ts';
export type { NumberAnswer } from './number-answer.ts';
export { OUTCOME_NAMES } from './outcome-names.ts';
export { type AnswerPreview, type CallPreview, previewAnswer } from './preview-answer.ts';
export type { FieldRule } from './provider.ts';
export type { AccountWish } from './put-account.ts';
export type { NumberWish } from './put-number.ts';
export { checkQuickAccount, type QuickAccount } from './quick-account.ts';
export type { SetupTest } from './setup-test.ts';
export { simulateCommands } from './simulate-command.ts';
export { createTelephony, type Telephony } from './telephony.ts';
export type { ProviderInfo } from './telephony-settings.ts';
export {
  type CountedCalls,
  countCalls,
  MOST_WAITING,
  type NamedNumbers,
  nameNumbers,
  toWaiting,
} from './week-of-calls.ts';
