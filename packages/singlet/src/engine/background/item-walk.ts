import { spaceStart } from '../layout/spaces.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { pauseUntil, takeTurn } from './background-pace.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';

/** Items processed in one step. */
export const itemWalkPageItems = 50;

/** Items are read up to this size in one step, so that steps over large items are smaller. */
const itemWalkPageBytes = 1024 * 1024;

/** What a walk does with the items of the table in its present state. */
export interface ItemWalk<T> {
  /** When it may continue, in milliseconds since 1970. */
  readonly untilMs: number;
  /** The work for an item, by its store key and stored value; undefined: none. The value is not kept. */
  readonly pick: (itemKey: Buffer, value: Uint8Array) => T | undefined;
  /** Does the work of one page. @throws {StaleTableError} when the table has changed: the page is read again. */
  readonly fill: (picked: readonly T[]) => Promise<void>;
}

/**
 * Walks over all items of a table in the order of their keys, page by page, and lets requests run after each page.
 *
 * @param begin - called with the table before each page; undefined ends the walk.
 * @returns whether the walk reached the end of the items.
 * @throws {ClosingSignal} when the engine closes.
 */
export async function walkItems<T>(
  services: CatalogServices,
  target: { readonly accountId: string; readonly region: string; readonly tableName: string },
  begin: (table: Table) => ItemWalk<T> | undefined,
): Promise<boolean> {
  let from: Buffer | undefined;
  for (;;) {
    const table = await services.catalog.load(target, target.tableName);
    const walk = table === undefined ? undefined : begin(table);
    if (table === undefined || walk === undefined) return false;
    await pauseUntil(services, walk.untilMs);
    const page = await readPage(services, table, walk, from ?? spaceStart(table.record.itemSpace));
    try {
      if (page.picked.length > 0) await walk.fill(page.picked);
    } catch (error) {
      if (!(error instanceof StaleTableError)) throw error;
      continue; // the table has changed: repeats the page with the new record
    }
    if (page.next === undefined) return true;
    from = page.next;
    await takeTurn(services);
  }
}

interface Page<T> {
  readonly picked: readonly T[];
  /** Where to continue; undefined at the end. */
  readonly next: Buffer | undefined;
}

async function readPage<T>(
  { store }: CatalogServices,
  table: Table,
  walk: ItemWalk<T>,
  from: Buffer,
): Promise<Page<T>> {
  const picked: T[] = [];
  let bytes = 0;
  let last: Buffer | undefined;
  const end = await store.range(
    { from, to: spaceStart(table.record.itemSpace + 1), limit: itemWalkPageItems },
    (key, value) => {
      last = Buffer.from(key);
      const found = walk.pick(last, value);
      if (found !== undefined) picked.push(found);
      bytes += value.length;
      return bytes < itemWalkPageBytes;
    },
  );
  const isEnd = end === 'end' || last === undefined;
  return { picked, next: isEnd ? undefined : Buffer.concat([last as Buffer, Uint8Array.of(0)]) };
}
