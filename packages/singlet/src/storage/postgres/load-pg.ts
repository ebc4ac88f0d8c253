/** Loads the client of PostgreSQL, which must be installed only to use such a store. */
import type pg from 'pg';
import { StorageError } from '../storage-error.ts';

/** The parts of the package that are used. */
export type PgPackage = Pick<typeof pg, 'Client' | 'Pool'>;

/** @throws {StorageError} `open` when the package is not installed. */
export async function loadPg(): Promise<PgPackage> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StorageError(
      'open',
      'A store on PostgreSQL needs the package pg, which is not installed: npm install pg',
      { cause: error },
    );
  }
}
