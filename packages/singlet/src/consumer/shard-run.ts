import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import { deliverBatch, type Delivery } from './batch-delivery.ts';
import { createdAtMsOf, sequenceNumberOf } from './change-record.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { KeyLane, laneOf } from './key-lane.ts';
import { lambdaRecord } from './lambda-event.ts';
import { trimHorizon } from './lease.ts';
import type { LeaseHold } from './lease-hold.ts';
import { type ProgressEntry, ShardProgress } from './shard-progress.ts';
import { ShardReader } from './shard-reader.ts';

/** A waiting record, and its position in the shard. */
interface Waiting extends Delivery {
  readonly sizeBytes: number;
  readonly place: ProgressEntry;
}

/** If a worker begins at the end of a shard and fails at once, its successor begins this much earlier, because clocks differ. */
const clockDifferenceMs = 60_000;

/** The number of records that may wait, in addition to a batch for each lane: one page. */
const waitingCountMin = 1000;

export interface ShardRunParts<Item> {
  readonly settings: ConsumerSettings<Item>;
  readonly streamArn: string;
  readonly partitionKeyName: string;
  /** Which records, in Lambda's form, reach the handler; absent if all do. */
  readonly matches: ((value: unknown) => boolean) | undefined;
  readonly hold: LeaseHold;
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal;
  /** Called once the first page has been read: records written from now on will be seen. */
  readonly onReading: () => void;
}

/**
 * Reads a shard from its checkpoint and hands its records out, in as many lanes as batches may be handled concurrently, by partition key. The
 * checkpoint follows the records that are done.
 *
 * @returns `end` if all records of a closed shard are done; `stopped` if the worker stops or has lost the lease.
 */
export async function runShard<Item>(parts: ShardRunParts<Item>): Promise<'end' | 'stopped'> {
  const { settings, streamArn, hold, matches, stop } = parts;
  const { environment, batchSize, parallelizationFactor } = settings;
  const { shardId, fromMs: leaseFromMs = 0 } = hold.lease;
  const signal = AbortSignal.any([stop, hold.lost]);
  const progress = new ShardProgress();
  let makeRoom = (): void => undefined;

  const complete = (places: readonly ProgressEntry[]): void => {
    const checkpoint = progress.complete(places);
    if (checkpoint !== undefined) hold.checkpointLater(checkpoint);
    makeRoom();
  };

  const lanes = Array.from(
    { length: parallelizationFactor },
    () => new KeyLane<Waiting>({ batchSize, windowMs: settings.batchingWindowMs, environment, signal }),
  );
  signal.addEventListener('abort', () => {
    for (const lane of lanes) lane.close();
    makeRoom();
  });
  const deliveries = lanes.map(async (lane) => {
    for (let batch = await lane.nextBatch(); batch !== undefined; batch = await lane.nextBatch()) {
      const isDone = await deliverBatch(batch, {
        settings,
        streamArn,
        shardId,
        signal,
        mayDeliver: () => hold.isHeld(),
        onDone: (entries) => complete(entries.map(({ place }) => place)),
      });
      if (!isDone) return;
    }
  });

  const admit = (records: readonly _Record[]): void => {
    const passed: ProgressEntry[] = [];
    for (const source of records) {
      const place = progress.add(sequenceNumberOf(source));
      if (createdAtMsOf(source) < leaseFromMs || matches?.(lambdaRecord(source, streamArn)) === false) {
        passed.push(place);
        continue;
      }
      const key = JSON.stringify(source.dynamodb?.Keys?.[parts.partitionKeyName]);
      lanes[laneOf(key, lanes.length)]?.push({ source, place, sizeBytes: source.dynamodb?.SizeBytes ?? 0 });
    }
    if (passed.length > 0) complete(passed);
  };

  const reader = new ShardReader(hold.lease.checkpoint, {
    client: settings.streams,
    streamArn,
    shardId,
    environment,
    onEvent: settings.onEvent,
    onBeginAtLatest: () => hold.beginAt(trimHorizon, environment.nowMs() - clockDifferenceMs),
  });
  let isEnd = false;
  while (!isEnd && !signal.aborted) {
    const page = await reader.next(signal);
    parts.onReading();
    admit(page.records);
    isEnd = page.isEnd;
    while (progress.pendingCount >= waitingCountMin + batchSize * lanes.length && !signal.aborted) {
      await new Promise<void>((resolve) => (makeRoom = resolve));
    }
    if (!isEnd && page.records.length === 0) await environment.pause(settings.pollIntervalMs, signal);
  }
  for (const lane of lanes) lane.close();
  await Promise.all(deliveries);
  return isEnd && progress.pendingCount === 0 ? 'end' : 'stopped';
}
