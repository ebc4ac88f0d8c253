import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryBucket, makeDirectories } from '../../transfer/buckets/index.ts';
import {
  decompress,
  dynamoDbJsonLine,
  gzip,
  ionLineWriter,
  itemMapOf,
  type ItemRecord,
  readRecords,
} from '../../transfer/formats/index.ts';
import type { AttributeMap, UncheckedAttributeMap, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';
import { UsageError } from '../usage-error.ts';
import { plainJson } from './plain-json.ts';
import { type StagedTable, stagedItems } from './stage-table.ts';

export type ExportFormat = 'dynamodb-json' | 'ion' | 'csv';

/** The maximum number of attributes of a table that become CSV columns. */
const csvColumnsMax = 5000;

/**
 * Writes a staged table in a text format: a gzipped file for each segment, or one CSV file. Replaces an earlier export of the table in that format.
 *
 * @returns the paths of the files.
 */
export async function writeFiles(
  staged: StagedTable,
  directory: string,
  options: { readonly tableName: string; readonly format: ExportFormat },
): Promise<readonly string[]> {
  await makeDirectories(directory);
  if (options.format === 'csv') return [await writeCsv(staged, directory, options.tableName)];
  const lineOf = options.format === 'ion' ? await ionLineWriter() : dynamoDbJsonLine;
  const extension = options.format === 'ion' ? 'ion.gz' : 'json.gz';
  const source = directoryBucket(staged.directory);
  const paths: string[] = [];
  for (const [at, file] of staged.files.entries()) {
    const name = segmentName(options.tableName, at, extension);
    const records = readRecords(decompress(await source.read(file), 'GZIP'), {
      format: 'DYNAMODB_JSON',
      recordBytesMax: serviceLimits.loadRecordBytesMax,
    });
    const path = join(directory, name);
    await directoryBucket(directory).write(`${name}.partial`, gzip(linesOf(records, lineOf)));
    await rename(`${path}.partial`, path);
    paths.push(path);
  }
  await removeFurtherSegments(directory, options.tableName, extension, paths.length);
  return paths;
}

function segmentName(tableName: string, at: number, extension: string): string {
  return `${tableName}-${String(at).padStart(4, '0')}.${extension}`;
}

/** Removes the files of an earlier export with more segments: an import of the directory would read its items, too. */
async function removeFurtherSegments(
  directory: string,
  tableName: string,
  extension: string,
  count: number,
): Promise<void> {
  const present = new Set(await readdir(directory));
  for (let at = count; present.has(segmentName(tableName, at, extension)); at += 1)
    await rm(join(directory, segmentName(tableName, at, extension)));
}

async function* linesOf(
  records: AsyncIterable<ItemRecord>,
  lineOf: (item: AttributeMap) => string,
): AsyncGenerator<Uint8Array> {
  // Staged items were read from a table, so their values are valid.
  for await (const record of records) yield Buffer.from(lineOf(itemMapOf(record) as AttributeMap), 'utf8');
}

/**
 * One file with a column for each attribute that any item has. Texts and numbers are written as they are, everything else as plain JSON; absent
 * values and NULL are empty.
 */
async function writeCsv(staged: StagedTable, directory: string, tableName: string): Promise<string> {
  const names = new Set<string>();
  for await (const item of stagedItems(staged)) {
    for (const name in item) names.add(name);
    if (names.size > csvColumnsMax)
      throw new UsageError(`The items have more than ${csvColumnsMax} attributes: use another format.`);
  }
  const columns = [...names].sort();
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${columns.map(quoted).join(',')}\n`, 'utf8');
    for await (const item of stagedItems(staged)) yield Buffer.from(csvLine(item, columns), 'utf8');
  };
  const name = `${tableName}.csv`;
  await directoryBucket(directory).write(name, lines());
  return join(directory, name);
}

function csvLine(item: UncheckedAttributeMap, columns: readonly string[]): string {
  return `${columns.map((name) => quoted(cell(Object.hasOwn(item, name) ? item[name] : undefined))).join(',')}\n`;
}

function cell(value: UncheckedAttributeValue | undefined): string {
  if (value === undefined || value.NULL !== undefined) return '';
  return value.S ?? value.N ?? value.B ?? plainJson(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
