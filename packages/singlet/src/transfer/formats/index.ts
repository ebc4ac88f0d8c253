/** Items in files: the formats of exports and imports. */
export { decompress, gzip } from './compression.ts';
export type { CsvReading } from './csv.ts';
export { dynamoDbJsonLine } from './dynamodb-json.ts';
export { FormatError } from './format-error.ts';
export { ionLineWriter } from './ion-text.ts';
export { type Compression, type ItemFormat, itemMapOf, type ItemRecord } from './item-record.ts';
export { readRecords } from './read-records.ts';
