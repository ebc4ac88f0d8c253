import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Parquet from 'hyparquet-writer';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { type Column, type ColumnChoice, EntityColumns, typeOf } from './entity-columns.ts';
import { cellOf, schemaOf } from './parquet-values.ts';
import { type StagedTable, stagedItems } from './stage-table.ts';

type ParquetLibrary = typeof Parquet;

/** Limits of row groups and of the cells that wait for them. */
export interface ParquetBounds {
  /** The number of rows of one row group. */
  readonly rowGroupRows: number;
  /** The maximum size of cells waiting for their row groups, over all types: bounds the memory for any table. */
  readonly waitingBytesMax: number;
}

const defaultBounds: ParquetBounds = { rowGroupRows: 50_000, waitingBytesMax: 64 * 1024 * 1024 };

export interface ParquetFile {
  readonly entityType: string;
  readonly path: string;
  readonly rows: number;
}

/**
 * Writes one Parquet file for each entity type of a staged table, in two passes: the first determines the columns and their types, the second
 * writes the rows.
 */
export async function writeParquet(
  staged: StagedTable,
  directory: string,
  choice: ColumnChoice,
  { rowGroupRows, waitingBytesMax }: ParquetBounds = defaultBounds,
): Promise<readonly ParquetFile[]> {
  const found = new EntityColumns(choice);
  for await (const item of stagedItems(staged)) found.add(item);
  const columns = found.columns();
  await makeDirectories(directory);
  const parquet = await import('hyparquet-writer');
  const files = new Map<string, EntityFile>();
  const names = new Set<string>();
  for (const [entityType, ofType] of columns) {
    files.set(entityType, new EntityFile(parquet, join(directory, `${fileName(entityType, names)}.parquet`), ofType));
  }
  let waitingBytes = 0;
  for await (const item of stagedItems(staged)) {
    const file = files.get(typeOf(item, choice));
    if (file === undefined) continue; // the first pass has seen every type
    waitingBytes += file.add(item);
    if (file.waitingRows >= rowGroupRows) waitingBytes -= await file.flush();
    else if (waitingBytes > waitingBytesMax) waitingBytes -= await largest(files).flush();
  }
  const written: ParquetFile[] = [];
  for (const [entityType, file] of files) written.push({ entityType, ...(await file.finish()) });
  return written.sort((a, b) => (a.entityType < b.entityType ? -1 : 1));
}

function largest(files: ReadonlyMap<string, EntityFile>): EntityFile {
  const [first, ...others] = files.values();
  // At least one file has waiting cells, since the bound was exceeded.
  return others.reduce((most, file) => (file.waitingBytes > most.waitingBytes ? file : most), first as EntityFile);
}

/** A valid name on every file system, unique among the types. */
function fileName(entityType: string, taken: Set<string>): string {
  const base =
    entityType
      .replaceAll(/[^a-zA-Z0-9._-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 100) || '_';
  let name = base;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base}-${number}`;
  taken.add(name.toLowerCase());
  return name;
}

/** The file of one entity type: takes items and writes row groups. It gets its final name when it is complete. */
class EntityFile {
  readonly #path: string;
  readonly #columns: readonly Column[];
  readonly #writer: Parquet.ParquetWriter;
  #cells: unknown[][];
  #rows = 0;
  waitingRows = 0;
  waitingBytes = 0;

  constructor(parquet: ParquetLibrary, path: string, columns: readonly Column[]) {
    this.#path = path;
    this.#columns = columns;
    this.#cells = columns.map(() => []);
    this.#writer = new parquet.ParquetWriter({
      writer: parquet.fileWriter(`${path}.partial`),
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.flatMap(({ name, type }) => schemaOf(name, type)),
      ],
      createdBy: 'singlet',
    });
  }

  /** @returns by how many bytes the waiting data has grown. */
  add(item: UncheckedAttributeMap): number {
    let bytes = 0;
    for (const [at, { attributeName, type }] of this.#columns.entries()) {
      const cell = cellOf(Object.hasOwn(item, attributeName) ? item[attributeName] : undefined, type);
      this.#cells[at]?.push(cell);
      bytes += sizeOf(cell);
    }
    this.waitingRows += 1;
    this.waitingBytes += bytes;
    return bytes;
  }

  /** Writes the waiting rows as a row group. @returns its bytes. */
  async flush(): Promise<number> {
    const { waitingRows, waitingBytes } = this;
    if (waitingRows === 0) return 0;
    await this.#writer.write({
      columnData: this.#columns.map(({ name }, at) => ({ name, data: this.#cells[at] ?? [] })),
      rowGroupSize: waitingRows,
    });
    this.#rows += waitingRows;
    this.#cells = this.#columns.map(() => []);
    this.waitingRows = 0;
    this.waitingBytes = 0;
    return waitingBytes;
  }

  async finish(): Promise<{ readonly path: string; readonly rows: number }> {
    await this.flush();
    await this.#writer.finish();
    await rename(`${this.#path}.partial`, this.#path);
    return { path: this.#path, rows: this.#rows };
  }
}

/** The approximate size of a cell in memory. */
function sizeOf(cell: unknown): number {
  if (typeof cell === 'string') return 16 + 2 * cell.length;
  if (cell instanceof Uint8Array) return 64 + cell.length;
  if (Array.isArray(cell)) return (cell as unknown[]).reduce((sum: number, element) => sum + sizeOf(element), 32);
  return 16;
}
