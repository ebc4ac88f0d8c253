import { type ConnectOptions, type Model, tableDefinitions } from '@singlet/model';
import { tableIsNew } from '../table-lifecycle.ts';

/**
 * Creates the table of a model that has one table, if it does not exist.
 *
 * @returns its name, and whether it is new and empty.
 */
export async function openTable(
  client: ConnectOptions['client'],
  model: Model,
): Promise<{ readonly tableName: string; readonly isNew: boolean }> {
  const [definition] = tableDefinitions(model);
  const tableName = definition?.TableName ?? model.name;
  return { tableName, isNew: await tableIsNew(client, { ...definition, TableName: tableName }) };
}
