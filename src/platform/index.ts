/**
 * Ground floor. Databases, time, ids, secrets, the log, the guard on outgoing requests: everything that knows no word
 * of the product.
 */
export { type Clock, systemClock, toIso, toIsoOrNull } from './clock.ts';
export {
  type Database,
  DatabaseUnavailable,
  type Diagnosis,
  type Engine,
  type InsertTarget,
  type Queries,
  type Transaction,
  UniqueViolation,
  type Value,
} from './database/database.ts';
export { createGroupWriter, type GroupWriter } from './database/group-writer.ts';
export { getMigrationState, MigrationRefused, type MigrationState, migrateDatabase } from './database/migrate-database.ts';
export { type DatabaseSettings, openDatabase } from './database/open-database.ts';
export { Html, html } from './html.ts';
export { createNewId, type NewId } from './ids.ts';
export { createLog, type Log } from './log.ts';
export { type InputError, Refusal } from './refusal.ts';
export { digestOf, equalSecrets, randomSecret, Secret } from './secret.ts';
