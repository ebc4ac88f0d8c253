import type { AttributeMap } from '../../values/attribute-value.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { spaceStart } from '../layout/spaces.ts';
import { createBackup } from '../operations/create-backup.ts';
import { restoreTableToPointInTime } from '../operations/restore-table-to-point-in-time.ts';
import { updateContinuousBackups } from '../operations/update-continuous-backups.ts';
import { presentTable } from './test-engine.ts';
import { testContext, type TestServices } from './test-services.ts';

/** Requests for tests of backups, in few words. */

export async function enableRecovery(services: TestServices, tableName: string, days?: number): Promise<void> {
  const pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: days };
  await updateContinuousBackups(services, { tableName, pointInTimeRecoverySpecification }, testContext);
}

export async function disableRecovery(services: TestServices, tableName: string): Promise<void> {
  const pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: false };
  await updateContinuousBackups(services, { tableName, pointInTimeRecoverySpecification }, testContext);
}

/** @returns the ARN of the backup that has begun. */
export async function backup(services: TestServices, tableName: string, backupName = 'backup'): Promise<string> {
  const { backupDetails } = await createBackup(services, { tableName, backupName }, testContext);
  return backupDetails.backupArn;
}

export async function restoreTo(
  services: TestServices,
  { from, to, atMs }: { readonly from: string; readonly to: string; readonly atMs: number | 'latest' },
): Promise<void> {
  const time = atMs === 'latest' ? { useLatestRestorableTime: true } : { restoreDateTime: atMs / 1000 };
  await restoreTableToPointInTime(services, { sourceTableName: from, targetTableName: to, ...time }, testContext);
}

/** The items of a table by the text of their keys: `pk` and, where there is one, `sk`. */
export async function itemsOf(services: TestServices, tableName: string): Promise<ReadonlyMap<string, AttributeMap>> {
  const { itemSpace } = (await presentTable(services, tableName)).record;
  const items = new Map<string, AttributeMap>();
  await services.store.range({ from: spaceStart(itemSpace), to: spaceStart(itemSpace + 1) }, (key, value) => {
    const item = copyStoredItem(key, value).toMap();
    items.set(JSON.stringify([item['pk'], item['sk']]), item);
    return true;
  });
  return items;
}
