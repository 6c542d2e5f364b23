/**
 * Handles a team's phone calls, whichever provider carries them. Webhooks are verified, stored, and answered from
 * memory. Calls and recordings are assembled from them afterward. Code for one provider is in its folder
 * (`providers/`).
 */

export type { AccountName } from './accounts/account-store.ts';
export type { AccountWish } from './accounts/account-wish.ts';
export { getCallingCode } from './accounts/get-calling-code.ts';
export type { NumberWish } from './accounts/numbers.ts';
export { checkQuickAccount, type QuickAccount } from './accounts/quick-account.ts';
export { countsDemoCalls, hasDemoCalls } from './accounts/simulated-account-store.ts';
export type { AccountView } from './admin/account-view.ts';
export type { NumberView } from './admin/number-view.ts';
export type { StorageView } from './admin/storage-view.ts';
export { telephonyCommands } from './admin/telephony-commands.ts';
export { createRecordingStorage } from './audio/create-recording-storage.ts';
export { printBytes } from './budget/print-bytes.ts';
export type { CallPage } from './call-log/call-pages.ts';
export { CallQuery } from './call-log/call-query.ts';
export type { CallStory } from './call-log/calls.ts';
export { isRecentMark } from './call-log/return-marks.ts';
export { MOST_COUNTED, type ShownCall } from './call-log/shown-call.ts';
export { readHeardIn } from './call-log/shown-transcript.ts';
export { mayHear } from './call-log/transcript-search.ts';
export { viewStory } from './call-log/view-story.ts';
export { listNotWaiting } from './calls/call-store.ts';
export type { CallSummary } from './calls/call-summary.ts';
export { CallStoryView, CallView, toCallView } from './calls/call-view.ts';
export { nameCallers } from './calls/name-callers.ts';
export { OUTCOME_COLORS } from './calls/outcome-colors.ts';
export { OUTCOME_NAMES, OUTCOMES } from './calls/outcome-names.ts';
export type { Verb } from './contract/answer-plan.ts';
export type { Answer } from './contract/answer-settings.ts';
export type { CallFact, EndReason } from './contract/call-fact.ts';
export { type CallPreview, previewAnswer } from './contract/preview-answer.ts';
export type { FieldRule, ProviderInfo } from './contract/provider.ts';
export { StorageFailed } from './contract/recording-storage.ts';
export { findSpeech, type Speech } from './contract/speech.ts';
export type { CallLogs } from './crm/call-logs.ts';
export type { SetupTest } from './deliveries/setup-test.ts';
export { ERASED_CALLS_KEPT_MS } from './erasure/prune-telephony.job.ts';
export { type EndedCalls, MOST_WAIT_SECONDS } from './figures/call-figures-store.ts';
export {
  type CountedCalls,
  countCalls,
  MOST_WAITING,
  type NamedNumbers,
  nameNumbers,
  toWaiting,
} from './figures/count-calls.ts';
export { listEveryRecording, listEveryRefusal, type PlainCall, readEveryCall } from './figures/every-call-store.ts';
export { MOST_COUNTED_NUMBERS, MOST_TALLIED_NUMBERS } from './figures/week-tally.ts';
export { setCallLogsApart } from './people/log-store.ts';
export { CallPerson } from './people/person.ts';
export { createAudioWriter } from './recordings/all-audio.ts';
export { RecordingView } from './recordings/recording-view.ts';
export { SEALED_IN_TELEPHONY } from './sealed-columns.ts';
export { simulateCommands } from './simulator/simulate-commands.ts';
export { createTelephony, type Telephony } from './telephony.ts';
