import { type ConnectOptions, type Model, tableDefinitions } from '@singlet/model';
import { ensureStream, tableIsNew } from '../table-lifecycle.ts';

/** The table of an application. */
export interface OpenedTable {
  readonly tableName: string;
  /** Whether it was created just now, and is empty. */
  readonly isNew: boolean;
  /**
   * Enables the stream that the model declares, unless it is enabled. Called when the sample data is stored: a consumer may read a stream
   * again from its beginning, and has to find none of the sample there.
   */
  readonly beginStream: () => Promise<void>;
}

/** Creates the table of a model that has one table, without its stream, if it does not exist. */
export async function openTable(client: ConnectOptions['client'], model: Model): Promise<OpenedTable> {
  const [definition] = tableDefinitions(model);
  const tableName = definition?.TableName ?? model.name;
  const stream = definition?.StreamSpecification;
  const isNew = await tableIsNew(client, { ...definition, TableName: tableName, StreamSpecification: undefined });
  return {
    tableName,
    isNew,
    beginStream: async () => {
      if (stream !== undefined) await ensureStream(client, tableName, stream);
    },
  };
}
