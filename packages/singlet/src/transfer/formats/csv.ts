import { Readable } from 'node:stream';
import type { Parser } from 'csv-parse';
import {
  type KeyAttributeType,
  type MutableAttributeMap,
  setAttribute,
  type AttributeValue,
} from '../../values/attribute-value.ts';
import { isCanonicalBase64 } from '../../values/base64.ts';
import { FormatError, messageOf } from './format-error.ts';
import type { ItemRecord } from './item-record.ts';
import { loadPackage } from '../../values/missing-package.ts';

export interface CsvReading {
  /** One of `, ; : |`, tab or blank; a comma if absent. */
  readonly delimiter?: string | undefined;
  /** The names of the columns. If absent, they are in the first line. */
  readonly headerList?: readonly string[] | undefined;
  /** The types of attributes that are keys of a table or its indexes. All other columns are strings. */
  readonly keyTypes: ReadonlyMap<string, KeyAttributeType>;
}

/** The value that csv-parse emits with `info: true`. */
interface ParsedRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV with a header. A row with more or fewer columns than the header, or a lone quote, ends the reading.
 *
 * An empty column is an empty string. How the service treats it is not documented.
 *
 * @throws {FormatError}
 * @see Developer Guide, "Amazon S3 import formats for DynamoDB"
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, headerList, keyTypes }: CsvReading,
  recordBytesMax: number,
): AsyncGenerator<ItemRecord> {
  const { CsvError, parse } = await loadPackage('Reading CSV', () => import('csv-parse'));
  const parser: Parser = parse({
    delimiter: delimiter ?? ',',
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    info: true,
    skip_empty_lines: true,
    relax_column_count: false,
    max_record_size: recordBytesMax,
  });
  const source = Readable.from(chunks);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let columns = headerList === undefined ? undefined : checkedHeader(headerList, 1);
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      if (columns === undefined) columns = checkedHeader(record, line);
      else yield { line, item: itemOf(columns, record, keyTypes, line) };
      line = info.lines + 1;
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const reason = messageOf(cause).replaceAll('\n', '\\n');
    throw new FormatError(Number(cause['lines'] ?? line), `not CSV: ${reason}`, { cause });
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function itemOf(
  columns: readonly string[],
  fields: readonly string[],
  keyTypes: CsvReading['keyTypes'],
  line: number,
): MutableAttributeMap {
  if (fields.length !== columns.length) {
    throw new FormatError(line, `there are ${fields.length} columns, and the header names ${columns.length}`);
  }
  const item: MutableAttributeMap = {};
  for (const [at, name] of columns.entries()) {
    setAttribute(item, name, valueOf(fields[at] ?? '', keyTypes.get(name), name, line));
  }
  return item;
}

function valueOf(field: string, type: KeyAttributeType | undefined, name: string, line: number): AttributeValue {
  switch (type) {
    case 'N':
      return { N: field.trim() };
    case 'B':
      if (!isCanonicalBase64(field)) throw new FormatError(line, `column ${name} is not base64`);
      return { B: field };
    default:
      return { S: field };
  }
}

function checkedHeader(header: readonly string[], line: number): readonly string[] {
  const seen = new Set<string>();
  for (const name of header) {
    if (name === '') throw new FormatError(line, 'a column of the header has no name');
    if (seen.has(name)) throw new FormatError(line, `the header names ${JSON.stringify(name)} twice`);
    seen.add(name);
  }
  return header;
}
