import type { StoreWrite } from '../../storage/store.ts';
import { decodeStoredItem, encodeStoredItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { ItemWrite } from '../followers/item-write.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { purgeTable, spacePurgeWrite } from '../tables/purge.ts';
import { changeTable } from '../catalog/table-change.ts';
import type { Table } from '../catalog/table.ts';
import { advance, jobKey, decodeJob, keyOfText, keyText, readJob, type RestoreJob } from './backup-job.ts';
import { backupWrite, decodeBackupRecord } from './backup-record.ts';

/*
 * Fills a restored table from an image, with the same decision as every item write. So its indexes, counts and collection
 * sizes are the same as if the items had been put there one by one.
 */

/** Items put into the table in one step. */
const restorePageItems = 100;

/** Items are read up to this size in one step, so that steps over large items are smaller. */
const restorePageBytes = 1024 * 1024;

/**
 * @returns once the table is complete, another process works on it, or its image is not complete yet.
 * @throws {ClosingSignal} when the engine closes.
 */
export async function fillRestoredTable(services: EngineServices, itemSpace: number): Promise<void> {
  for (;;) {
    const job = await readJob(services.store, itemSpace);
    if (job?.kind !== 'restore' || job.phase === 'waiting') return;
    const table = await services.catalog.load(job, job.tableName);
    if (table?.record.itemSpace !== itemSpace) return;
    try {
      const after = await fillPage(services, job, table);
      if (after === 'overtaken') return;
      if (after === 'end') {
        await finish(services, job);
        return;
      }
    } catch (error) {
      if (!(error instanceof StaleTableError)) throw error; // else repeats the page with the new record
    }
    await takeTurn(services);
  }
}

async function fillPage(
  services: EngineServices,
  job: RestoreJob,
  table: Table,
): Promise<'more' | 'end' | 'overtaken'> {
  const { store, environment } = services;
  const page = await readPage(services, job, table);
  if (page.items.length === 0) return 'end';
  const plan = new ItemWritePlan(page.items, services, environment.clock.nowMs());
  const cursor = keyText(page.last);
  const after = await advance(store, job, plan.keys, (values) => {
    const { writes } = plan.decide(values, (error) => {
      throw error;
    });
    return { writes, next: { ...job, cursor } };
  });
  if (after === 'overtaken') return after;
  return page.isLast ? 'end' : 'more';
}

interface Page {
  readonly items: readonly ItemWrite[];
  /** The key of the last item, in the image. */
  readonly last: Buffer;
  readonly isLast: boolean;
}

async function readPage({ store }: EngineServices, job: RestoreJob, table: Table): Promise<Page> {
  const from =
    job.cursor === undefined ? spaceStart(job.imageSpace) : Buffer.concat([keyOfText(job.cursor), Uint8Array.of(0)]);
  const items: ItemWrite[] = [];
  let last: Buffer = from;
  let bytes = 0;
  const range = { from, to: spaceStart(job.imageSpace + 1), limit: restorePageItems };
  const end = await store.range(range, (key, value) => {
    last = Buffer.from(key);
    const item = encodeStoredItem(decodeStoredItem(key, value));
    items.push({
      table,
      key: itemKeyOfItem(table, item.toMap()),
      change: { kind: 'put', item },
      condition: undefined,
      returnOldOnFailure: false,
      keepBefore: false,
    });
    bytes += value.length;
    return bytes < restorePageBytes;
  });
  return { items, last, isLast: end === 'end' };
}

/** Makes the table ACTIVE and releases its source. */
async function finish(services: EngineServices, job: RestoreJob): Promise<void> {
  const backupKey = job.backup === undefined ? undefined : keyOfText(job.backup);
  const keys = [jobKey(job.itemSpace), ...(backupKey === undefined ? [] : [backupKey])];
  await changeTable(
    services,
    job,
    job.tableName,
    ({ record, values: [jobValue, backupValue], nowMs }) => {
      if (decodeJob(jobKey(job.itemSpace), jobValue) === undefined) return { record };
      const { restore: _complete, transition: _endless, ...rest } = record;
      const writes: StoreWrite[] = [{ key: jobKey(job.itemSpace), value: undefined }];
      if (backupKey === undefined) {
        writes.push(spacePurgeWrite(record, job.imageSpace));
      } else if (backupValue !== undefined) {
        const { restoringTo: _restored, ...backup } = decodeBackupRecord(backupKey, backupValue);
        writes.push(backupWrite(backup));
      }
      const transition = { status: 'CREATING', untilMs: job.untilMs } as const;
      return { record: { ...rest, ...(job.untilMs > nowMs && { transition }) }, writes };
    },
    keys,
  );
  if (backupKey === undefined) await purgeTable(services, job.imageSpace);
}
