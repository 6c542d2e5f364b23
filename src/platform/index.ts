/**
 * The ground floor: databases, time, IDs, secrets, the log, outgoing requests, and everything else that knows nothing
 * about the product.
 */
export { type Clock, systemClock, toIso, toIsoOrNull } from './clock.ts';
export * from './commands/command.ts';
export { forTerminal, toTerminalJson } from './commands/for-terminal.ts';
export { printTable } from './commands/print-table.ts';
export { createProgress } from './commands/progress.ts';
export { quoteForShell } from './commands/quote-for-shell.ts';
export { readInput } from './commands/read-input.ts';
export { readVersion } from './commands/read-version.ts';
export { requireYes, yesOption } from './commands/require-yes.ts';
export { sayBytes } from './commands/say-bytes.ts';
export { createCommitGroups } from './database/commit-groups.ts';
export {
  type Database,
  DatabaseUnavailable,
  DiskFull,
  type Engine,
  type InsertTarget,
  type Queries,
  type ScannedRow,
  type Transaction,
  UniqueViolation,
  type Value,
} from './database/database.ts';
export type { DatabaseSettings } from './database/database-settings.ts';
export { deleteInPieces } from './database/delete-in-pieces.ts';
export { describeRefusedRow } from './database/describe-refused-row.ts';
export { findBreakingChanges, findRemade } from './database/find-breaking-changes.ts';
export { createGroupWriter } from './database/group-writer.ts';
export { type Loader, PlaceTaken } from './database/loader.ts';
export { migrateBeside } from './database/migrate-beside.ts';
export * from './database/migrate-database.ts';
export * from './database/migration-state.ts';
export {
  hasDatabaseFile,
  holdWrites,
  movedMarkIn,
  openDatabase,
  openLoader,
  openSnapshot,
  type Store,
} from './database/open-database.ts';
export { createOutage } from './database/outage.ts';
export { readPostgresqlAddress } from './database/postgresql/postgresql-address.ts';
export { readSchema, type Table } from './database/read-schema.ts';
export { defineRow, insertRow, selectFields } from './database/row-fields.ts';
export type { RowTable } from './database/row-table.ts';
export type { Snapshot } from './database/snapshot.ts';
export { createCommitCount } from './database/sqlite/commit-bell.ts';
export { closeToOthers } from './files/close-to-others.ts';
export { type CsvCell, toCsvLine, toReadableTime } from './files/csv-line.ts';
export { isDiskFull, readFreeBytes } from './files/disk-room.ts';
export { isWritable } from './files/is-writable.ts';
export { changeKeptValues, readKeptValues } from './files/kept-values.ts';
export { DirectoryTaken, ensureDirectory, findAnnounced, lockDirectory } from './files/lock-directory.ts';
export { openFile } from './files/open-file.ts';
export { packTarball } from './files/pack-tarball.ts';
export { readOpenFileLimit } from './files/read-open-file-limit.ts';
export { findMisfits } from './find-misfits.ts';
export { Html, html } from './html.ts';
export { isLoopbackHost } from './is-loopback-host.ts';
export { createJournal, type Journal, type LineSeal, type StoreRows } from './keeping/journal.ts';
export { createKeeper, type Keeper } from './keeping/keeper.ts';
export { withinPatience } from './keeping/within-patience.ts';
export * from './list-page.ts';
export { createLog, type Log, type LogOptions } from './log.ts';
export { createMailer, type Mailer, type SendFailure } from './mailer.ts';
export { createNewId, firstIdAt, type NewId, timeOfId } from './new-id.ts';
export { type BucketRequest, type BucketSettings, signBucketRequest } from './outbound/bucket-request.ts';
export {
  createForwarder,
  type Forwarded,
  type Forwarder,
  type HeaderList,
  isIdempotent,
} from './outbound/forwarder.ts';
export * from './outbound/outbound.ts';
export { OutboundFailed, type OutboundReason } from './outbound/outbound-failed.ts';
export { holdForwarder, holdMailer, holdOutbound } from './pausing/hold-while-paused.ts';
export { createPause, PAUSED_ADVICE, type Pause } from './pausing/pause.ts';
export { type Paused, readPaused, setPaused } from './pausing/pause-store.ts';
export { callingCodeOf, formatPhoneNumber, formsOf, isPhoneNumber, isWrittenAs } from './phone-number.ts';
export { type InputError, Refusal, SetupIncomplete } from './refusal.ts';
export { createBufferRelease } from './running/free-buffers.ts';
export { giveBackMemoryWhenQuiet } from './running/give-back-memory-when-quiet.ts';
export { onFirstUse } from './running/on-first-use.ts';
export { oncePer } from './running/once-per.ts';
export { whenAborted } from './running/when-aborted.ts';
export { within, withinOrNull } from './running/within.ts';
export { sayPatternFlaw } from './say-pattern-flaw.ts';
export { createSecretCheck, digestOf, equalSecrets, equalTags, findSecrets, randomSecret, Secret } from './secret.ts';
export * from './setting.ts';
export { takeRandomBytes } from './take-random-bytes.ts';
export {
  dateWords,
  type HourCycle,
  hourCycleIn,
  hourCycleOf,
  momentWords,
  printTime,
  type TimeStyle,
  timeWords,
} from './time-words.ts';
export { parseCollectorHeaders } from './tracing/collector-headers.ts';
export { inSpan, noteInSpan } from './tracing/in-span.ts';
export type { Collector } from './tracing/otlp-tracer.ts';
export type { Tracer, TraceSpan } from './tracing/span.ts';
export { traceForwarder, traceOutbound } from './tracing/trace-outgoing.ts';
export { parseTraceparent, printTraceparent, type TraceContext } from './tracing/traceparent.ts';
export { createTracing, type Tracing } from './tracing/tracing.ts';
export { createEventLoopTurns, giveWay } from './turns/event-loop-turns.ts';
export {
  callerGone,
  currentWork,
  JOBS,
  OWN,
  SENDING,
  stepAside,
  stopIfAbandoned,
  type Work,
  workFor,
} from './turns/owner.ts';
export { createRateLimit, type RateLimit } from './turns/rate-limit.ts';
export { createSharedRuns, createSingleFlight } from './turns/single-flight.ts';
export { createTurns, type EndTurn, type TurnLimits, type Turns } from './turns/turns.ts';
export { Type } from './type.ts';
export { withContext } from './with-context.ts';
export { createZoneFormats } from './zone-formats.ts';
