/**
 * What a failure of PostgreSQL, or of the connection to it, means for the affected call.
 *
 * The distinction that matters: after `lost` it is unknown whether the statement was carried out; in all other cases PostgreSQL has reported that
 * it was not.
 */
import { AssertionError } from 'node:assert';
import { StorageError } from '../storage-error.ts';

export type FailureKind =
  /** Another writer was faster: what the decision depends on has changed. Worth a retry. */
  | 'conflict'
  /** The row that counts this writer's commits has changed unexpectedly. */
  | 'lane'
  /** The connection ended, or gave no answer in time. */
  | 'lost'
  /** PostgreSQL refuses for a reason that may pass: starting, too many connections, a standby, a statement that took too long. */
  | 'unavailable'
  /** PostgreSQL refuses, and a retry would not help. */
  | 'refused';

/** Raised by our own statements (`group-statement.ts`): a text that is not a number, and a division by zero. */
const conflictCodes: ReadonlySet<string> = new Set([
  '22P02',
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '23505', // unique_violation: two that insert the same key at once
]);
const laneCode = '22012';

/** The server ends the connection, or no longer serves it. */
const lostCodes: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25P03']);

const unavailableCodes: ReadonlySet<string> = new Set([
  '53300', // too_many_connections
  '57014', // query_canceled: by statement_timeout
  '25006', // read_only_sql_transaction: a standby
]);

export function failureKind(error: unknown): FailureKind {
  if (error instanceof StorageError || isDefect(error)) return 'refused';
  const code = sqlStateOf(error);
  if (code === undefined || code.startsWith('08') || lostCodes.has(code)) return 'lost';
  if (conflictCodes.has(code)) return 'conflict';
  if (code === laneCode) return 'lane';
  return unavailableCodes.has(code) ? 'unavailable' : 'refused';
}

/** Errors of the network or the client are plain `Error`s; these are bugs, and a retry would not help. */
function isDefect(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof AssertionError;
}

/** Five characters if PostgreSQL itself answered; undefined for errors of the network or the client. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'severity' in error && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** The error for a call of which no part was carried out. */
export function storageErrorOf(error: unknown, doing: string): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('io', `${doing} failed (${messageOf(error)}); nothing was written`, { cause: error });
}

/** What the client means by saying that its password must be a string. */
const passwordMissing =
  'a password is required: write it in the URL, the environment variable PGPASSWORD, or ~/.pgpass';

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  if (error instanceof Error && error.message.endsWith('client password must be a string')) return passwordMissing;
  return error instanceof Error ? error.message : String(error);
}
