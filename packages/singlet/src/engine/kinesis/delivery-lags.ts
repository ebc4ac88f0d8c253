import type { TableRecord } from '../catalog/table-record.ts';
import type { EngineServices } from '../services.ts';
import { oldestChangeMs } from './deliver-changes.ts';
import { listDeliveries } from './delivery-list.ts';

type TablePlace = Pick<TableRecord, 'accountId' | 'region' | 'tableName'>;

/** How far deliveries to Kinesis are behind, by table. */
export interface DeliveryLags {
  /** The age of the oldest change that was not delivered yet, milliseconds: 0 if there is none; undefined without a destination. */
  readonly of: (table: TablePlace) => number | undefined;
}

export async function deliveryLags(services: EngineServices): Promise<DeliveryLags> {
  const nowMs = services.environment.clock.nowMs();
  const byTable = new Map<string, number>();
  for (const delivery of await listDeliveries(services.store)) {
    if (delivery.state === 'dropped') continue;
    const oldestMs = (await oldestChangeMs(services, delivery)) ?? nowMs;
    const key = keyOf(delivery);
    byTable.set(key, Math.max(byTable.get(key) ?? 0, nowMs - oldestMs));
  }
  return { of: (table) => byTable.get(keyOf(table)) };
}

function keyOf({ accountId, region, tableName }: TablePlace): string {
  return [accountId, region, tableName].join(' ');
}
