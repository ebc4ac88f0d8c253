import type { StoreWrite } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import type { EngineServices } from '../services.ts';
import { createdAtMsOf, decodeChangeRecord } from '../followers/streams/change-record.ts';
import { retentionMsOf } from '../streams/find-stream.ts';
import { headKey, recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { takeTurn } from '../background/background-pace.ts';
import { repeatTask, runAlone, runOnce } from '../background/background-task.ts';
import { type LeaseGrant, leaseHolder, StoredLeases } from '../background/lease.ts';
import { purgeSpace } from '../tables/purge.ts';
import { changeTable } from '../catalog/table-change.ts';
import { type ChangeSink, sinkBytesMax, type SinkRecord, sinkRecordsMax } from './change-sink.ts';
import {
  decodeDelivery,
  deliveryKey,
  type DeliveryRecord,
  deliveryRemoval,
  leaseKey,
  listDeliveries,
} from './delivery-list.ts';
import { settleDestination } from './destination-change.ts';
import { kinesisRecord } from './kinesis-record.ts';

/*
 * Delivering changes. A log is a queue: its records are read from the front, handed to the sink, and removed once they are
 * taken. A process that is interrupted before the removal delivers the same records again. So each record arrives at least once, and
 * the changes of an item arrive in order unless a delivery fails.
 *
 * Decision 0021 says why.
 */

/** How often the logs are checked for changes to deliver, in milliseconds. */
const deliveryIntervalMs = 200;

/** The same where nothing can be delivered: then records that are too old are removed, and nothing else is done. */
const trimIntervalMs = 60_000;

/** How long a process keeps its lease on a log after its last step, in milliseconds: longer than a sink needs for an answer. */
const leaseMs = 30_000;

/** How long a delivery waits after a record was not taken, in milliseconds. */
const restMs = 2000;

/** One process at a time delivers a log, so that the changes of an item are sent in order. */
const leases = new StoredLeases('The lease of a delivery of changes', leaseMs);

const postponedEvent = 'delivery-of-changes-postponed';

/** Delivers changes as they occur, until the engine closes. */
export function keepDelivering(services: EngineServices): Promise<void> {
  const { environment, changeSink, store } = services;
  const holder = leaseHolder(services);
  return repeatTask(services, {
    name: 'delivery of changes',
    everyMs: changeSink === undefined ? trimIntervalMs : deliveryIntervalMs,
    postponedEvent,
    run: async () => {
      // Each separately: a stream that does not answer delays no other.
      for (const delivery of await listDeliveries(store)) {
        environment.tasks.spawn('delivery of changes', () => deliver(services, delivery, holder));
      }
    },
  });
}

/** Delivers, once, all changes that are ready to be delivered. */
export async function deliverChanges(services: EngineServices): Promise<void> {
  const holder = leaseHolder(services);
  const deliveries = await listDeliveries(services.store);
  await Promise.all(deliveries.map((delivery) => deliver(services, delivery, holder)));
}

/** A process runs one delivery at most once at a time. */
async function deliver(services: EngineServices, delivery: DeliveryRecord, holder: string): Promise<void> {
  const name = `delivery of changes of ${delivery.tableName}`;
  await runAlone(services, `delivery ${delivery.log.space}`, async () => {
    await runOnce(services, { name, postponedEvent, run: () => deliverLog(services, delivery, holder) });
  });
}

async function deliverLog(services: EngineServices, delivery: DeliveryRecord, holder: string): Promise<void> {
  const { changeSink, environment } = services;
  const nowMs = environment.clock.nowMs();
  const trimmedUntilMs = nowMs - retentionMsOf(services);
  const oldestMs = await oldestChangeMs(services, delivery);
  if (oldestMs !== undefined && oldestMs <= trimmedUntilMs) await trimLog(services, delivery, trimmedUntilMs);
  if (changeSink !== undefined) {
    // Taking the lease writes to disk, so it is taken only when there is work, not five times a second.
    const isDue = delivery.state === 'waiting' ? nowMs >= delivery.notBeforeMs : oldestMs !== undefined;
    const isAtItsEnd = delivery.state === 'closed' || delivery.state === 'dropped';
    if (isDue || isAtItsEnd) await deliverUnderLease(services, changeSink, delivery, holder);
  } else if (delivery.state === 'closed' && (await oldestChangeMs(services, delivery)) === undefined) {
    await removeLog(services, delivery);
  }
}

async function deliverUnderLease(
  services: EngineServices,
  sink: ChangeSink,
  delivery: DeliveryRecord,
  holder: string,
): Promise<void> {
  const { log } = delivery;
  const grant = await leases.acquire(services, leaseKey(log), holder);
  if (grant === undefined) return;
  const state = delivery.state === 'waiting' ? await settle(services, sink, delivery) : delivery.state;
  if (state === 'dropped') return removeLog(services, delivery);
  const isEmptied = await emptyLog(services, sink, delivery, grant);
  if (isEmptied && state === 'closed') return removeLog(services, delivery);
  await leases.release(services, leaseKey(log), grant, isEmptied ? 0 : restMs);
}

/**
 * Checks whether the stream accepts records.
 *
 * @returns the next state of the log.
 */
async function settle(
  services: EngineServices,
  sink: ChangeSink,
  delivery: DeliveryRecord,
): Promise<DeliveryRecord['state']> {
  const { log, streamArn, tableName, region } = delivery;
  const problem =
    streamArn.split(':')[3] === region
      ? await sink.check(streamArn)
      : 'The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region';
  try {
    await changeTable(services, delivery, tableName, (input) => settleDestination(log, problem, input));
  } catch (error) {
    // The table was deleted meanwhile.
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  const present = await currentDelivery(services, delivery);
  return present?.state ?? 'dropped';
}

async function currentDelivery(
  { store }: EngineServices,
  { log }: DeliveryRecord,
): Promise<DeliveryRecord | undefined> {
  const key = deliveryKey(log);
  return store.read([key], ([value]) => (value === undefined ? undefined : decodeDelivery(key, value)));
}

async function removeLog(services: EngineServices, { log }: DeliveryRecord): Promise<void> {
  await purgeSpace(services, log.space);
  await services.store.write([], () => ({ answer: undefined, writes: deliveryRemoval(log) }));
}

/** @returns whether every record that the log held at the start is gone. */
async function emptyLog(
  services: EngineServices,
  sink: ChangeSink,
  delivery: DeliveryRecord,
  grant: LeaseGrant,
): Promise<boolean> {
  const { log, streamArn } = delivery;
  let isEmptied = true;
  for (const shard of log.openShards) {
    const prefix = shardPrefix(log.space, shard);
    for (;;) {
      const batch = await readBatch(services, delivery, prefix);
      if (batch.length === 0) break;
      const outcomes = await sink.deliver(
        streamArn,
        batch.map(({ record }) => record),
      );
      const done = batch.filter((_, at) => outcomes[at] === 'taken' || outcomes[at] === 'never');
      reportRefused(services, delivery, outcomes.filter((outcome) => outcome === 'never').length);
      const removals = done.map(({ key }): StoreWrite => ({ key, value: undefined }));
      // If another process has started to deliver meanwhile, that process removes the records.
      if (!(await leases.writeHeld(services, leaseKey(log), grant, removals))) return false;
      if (done.length < batch.length) {
        isEmptied = false;
        break;
      }
      await takeTurn(services);
    }
  }
  return isEmptied;
}

async function readBatch(
  { store }: EngineServices,
  delivery: DeliveryRecord,
  prefix: Buffer,
): Promise<readonly { readonly key: Buffer; readonly record: SinkRecord }[]> {
  const batch: { readonly key: Buffer; readonly record: SinkRecord }[] = [];
  let bytes = 0;
  await store.range({ from: recordKey(prefix, 0), to: headKey(prefix), limit: sinkRecordsMax }, (key, value) => {
    const storeKey = Buffer.from(key);
    const record = kinesisRecord(delivery, { storeKey, record: decodeChangeRecord(storeKey, value) });
    bytes += record.data.length + record.partitionKey.length;
    if (batch.length > 0 && bytes > sinkBytesMax) return false;
    batch.push({ key: storeKey, record });
    return true;
  });
  return batch;
}

function reportRefused({ environment }: EngineServices, { tableName, streamArn }: DeliveryRecord, count: number): void {
  if (count === 0) return;
  environment.log({ level: 'error', event: 'changes-refused-by-stream', tableName, streamArn, count });
}

/** When the oldest undelivered change was made; undefined if every change is delivered. */
export async function oldestChangeMs({ store }: EngineServices, { log }: DeliveryRecord): Promise<number | undefined> {
  let oldestMs: number | undefined;
  for (const shard of log.openShards) {
    const prefix = shardPrefix(log.space, shard);
    await store.range({ from: recordKey(prefix, 0), to: headKey(prefix), limit: 1 }, (key, value) => {
      oldestMs = Math.min(oldestMs ?? Infinity, createdAtMsOf(key, value));
      return false;
    });
  }
  return oldestMs;
}

/** Removes records older than a stream's retention: they were not delivered in time. */
async function trimLog(
  services: EngineServices,
  { log, tableName, streamArn }: DeliveryRecord,
  trimmedUntilMs: number,
): Promise<void> {
  const { store, environment } = services;
  let count = 0;
  for (const shard of log.openShards) {
    const prefix = shardPrefix(log.space, shard);
    for (;;) {
      const writes: StoreWrite[] = [];
      await store.range({ from: recordKey(prefix, 0), to: headKey(prefix), limit: sinkRecordsMax }, (key, value) => {
        if (createdAtMsOf(key, value) > trimmedUntilMs) return false;
        writes.push({ key: Buffer.from(key), value: undefined });
        return true;
      });
      if (writes.length === 0) break;
      await store.write([], () => ({ answer: undefined, writes }));
      count += writes.length;
      await takeTurn(services);
    }
  }
  environment.log({ level: 'error', event: 'changes-not-delivered-in-time', tableName, streamArn, count });
}
