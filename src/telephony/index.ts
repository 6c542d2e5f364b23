/**
 * Phone calls of a team, whoever carries them: webhooks are verified, kept and answered from memory, and calls and
 * recordings are put together from them afterwards. What makes one provider differ from another is in its own
 * folder (`providers/`).
 */

export { type CallPiece, PIECE_MS, type Span } from './call-figures-store.ts';
export { telephonyCommands } from './commands.ts';
export { checkQuickAccount, type QuickAccount } from './quick-account.ts';
export { simulateCommands } from './simulate-command.ts';
export { createTelephony, type Telephony } from './telephony.ts';
export { type CountedCalls, countCalls, countPieces } from './week-of-calls.ts';
