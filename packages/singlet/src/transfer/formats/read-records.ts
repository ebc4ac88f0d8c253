import { type CsvReading, readCsv } from './csv.ts';
import { readDynamoDbJson } from './dynamodb-json.ts';
import { readIon } from './ion-text.ts';
import type { ItemFormat, ItemRecord } from './item-record.ts';

export interface RecordReading {
  readonly format: ItemFormat;
  /** For CSV: the dialect, and the types of key attributes. */
  readonly csv?: CsvReading | undefined;
  /** The maximum size of one record's text, bytes. */
  readonly recordBytesMax: number;
}

/**
 * Reads the items of an object one by one from its uncompressed bytes. Holds one item and one chunk at a time.
 *
 * @param chunks - must not be modified afterwards.
 * @throws {FormatError} at the first error. Earlier items have been returned.
 */
export function readRecords(chunks: AsyncIterable<Uint8Array>, reading: RecordReading): AsyncIterable<ItemRecord> {
  switch (reading.format) {
    case 'DYNAMODB_JSON':
      return readDynamoDbJson(chunks, reading.recordBytesMax);
    case 'ION':
      return readIon(chunks, reading.recordBytesMax);
    case 'CSV':
      return readCsv(chunks, reading.csv ?? { keyTypes: new Map() }, reading.recordBytesMax);
  }
}
