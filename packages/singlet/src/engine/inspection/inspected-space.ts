import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import { hashBytes, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';

/** A table, or one of its local or global indexes, by name. */
export interface Subject {
  readonly tableName: string;
  readonly indexName?: string | undefined;
}

/** The space of the items, or of the entries of an index. */
export interface InspectedSpace {
  readonly table: Table;
  readonly index: SecondaryIndex | undefined;
  readonly space: number;
  /** Names of the attributes in a start key. */
  readonly keyNames: readonly string[];
}

/**
 * @throws {ResourceNotFoundException} when there is no such table.
 * @throws {ValidationException} when it has no such index.
 */
export async function inspectedSpace(
  { catalog }: EngineServices,
  { tableName, indexName }: Subject,
  context: RequestContext,
): Promise<InspectedSpace> {
  const table = await catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const index = indexName === undefined ? undefined : table.index(indexName);
  if (indexName !== undefined && index === undefined) {
    throw new ValidationException(`The table does not have the specified index: ${indexName}`);
  }
  const keys = [...(index?.keyAttributes ?? []), ...table.keyAttributes];
  return {
    table,
    index,
    space: index?.space ?? table.record.itemSpace,
    keyNames: [...new Set(keys.map(({ attributeName }) => attributeName))],
  };
}

/** Places in hash space are the first 48 bits of a hash: exact in a double, as in the segments of a scan. */
export const placeCount: number = 2 ** 48;

/** The first key of a space at a place, which may be {@link placeCount}: the end. */
export function keyAtPlace(space: number, place: number): Buffer {
  if (place >= placeCount) return storeKey(space + 1);
  const hash = Buffer.alloc(hashBytes);
  hash.writeUIntBE(Math.floor(place), 0, 6);
  return storeKey(space, hash);
}

/** The place of a hash. */
export function placeOfHash(hash: Uint8Array): number {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).readUIntBE(0, 6);
}

/** The hash at which a place begins, in hexadecimal. */
export function hashTextAt(place: number): string {
  const hash = Buffer.alloc(hashBytes, place >= placeCount ? 0xff : 0);
  if (place < placeCount) hash.writeUIntBE(Math.floor(place), 0, 6);
  return hash.toString('hex');
}
