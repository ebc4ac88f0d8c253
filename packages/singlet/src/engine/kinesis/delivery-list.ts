import type { Store, StoreWrite } from '../../storage/store.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { StreamReference, TableRecord } from '../catalog/table-record.ts';
import type { KinesisDestinationRecord, TimePrecision } from '../catalog/table-record.ts';

/*
 * The pending deliveries: one entry for each log of changes that is written, or was written and is not empty yet. The decisions
 * that enable, change and disable a destination write it, and so does the one that deletes the table. It is removed when the last change of
 * a closed log has been delivered. The position of a delivery needs no record: delivered changes are removed from the log.
 */

const deliveryFormat = 1;

export interface DeliveryRecord {
  readonly format: typeof deliveryFormat;
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  readonly streamArn: string;
  readonly log: StreamReference;
  readonly precision?: TimePrecision;
  /**
   * `waiting`: whether the stream accepts records is not checked yet. `closed`: no further changes come. `dropped`: the
   * stream does not accept them; the log will be removed.
   */
  readonly state: 'waiting' | 'open' | 'closed' | 'dropped';
  /** When it may be checked. */
  readonly notBeforeMs: number;
}

const deliveryRecords = new RecordCodec<DeliveryRecord>(
  deliveryFormat,
  ({ tableName }) => `The delivery of changes of table ${tableName}`,
);

/** Adds a log to the list, or replaces its entry. */
export function deliveryWrite(
  { accountId, region, tableName }: TableRecord,
  { streamArn, precision, untilMs }: KinesisDestinationRecord,
  log: StreamReference,
  state: DeliveryRecord['state'],
): StoreWrite {
  const delivery: DeliveryRecord = {
    format: deliveryFormat,
    accountId,
    region,
    tableName,
    streamArn,
    log,
    ...(precision !== undefined && { precision }),
    state,
    notBeforeMs: untilMs,
  };
  return deliveryRecords.write(deliveryKey(log), delivery);
}

/** Removes a log and its lease from the list. */
export function deliveryRemoval(log: StreamReference): readonly StoreWrite[] {
  return [deliveryKey(log), leaseKey(log)].map((key) => ({ key, value: undefined }));
}

export async function listDeliveries(store: Store): Promise<readonly DeliveryRecord[]> {
  const deliveries: DeliveryRecord[] = [];
  await store.range({ from: spaceStart(space.deliveries), to: spaceStart(space.deliveries + 1) }, (key, value) => {
    deliveries.push(decodeDelivery(key, value));
    return true;
  });
  return deliveries;
}

export function deliveryKey({ space: logSpace }: StreamReference): Buffer {
  return storeKey(space.deliveries, undefined, spaceBytes(logSpace));
}

/** The key of a delivery's lease. It is separate from the entry, which other processes write. */
export function leaseKey({ space: logSpace }: StreamReference): Buffer {
  return storeKey(space.deliveryLeases, undefined, spaceBytes(logSpace));
}

function spaceBytes(spaceId: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(spaceId, 0);
  return bytes;
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeDelivery(key: Uint8Array, value: Uint8Array): DeliveryRecord {
  return deliveryRecords.decode(key, value);
}
