import { StorageError } from '../../storage/storage-error.ts';
import type { Table } from '../catalog/table.ts';
import type { Inspection } from './inspection.ts';
import { findStreamProblems } from './stream-problems.ts';

/** Whether the stream of a table leads to its items. Missing records cannot be derived, because items do not hold their history. */
export async function inspectStream(inspection: Inspection, table: Table): Promise<void> {
  const { tableName } = table;
  const found = (message: string): void =>
    inspection.found({ kind: 'stream', outcome: 'loss', table: tableName, message });
  try {
    for (const problem of await findStreamProblems(inspection.store, table)) {
      found(`The stream of table ${tableName} does not agree with it: ${problem}.`);
    }
  } catch (error) {
    // Damaged items are reported with the items.
    if (!(error instanceof StorageError)) throw error;
    found(`The stream of table ${tableName} cannot be followed: ${error.message}`);
  }
}
