import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { directoryBucket, makeDirectories } from '../../transfer/buckets/index.ts';
import { decompress, dynamoDbJsonLine, itemMapOf, readRecords } from '../../transfer/formats/index.ts';
import { serviceLimits } from '../../values/limits.ts';
import { UsageError } from '../usage-error.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import type { Progress } from './progress.ts';
import { fromSdkItem } from './sdk-values.ts';

/*
 * Stages a table for export. It is read once, by parallel scans, into one file of gzipped DynamoDB JSON for each segment; everything else
 * (other formats, columns and their types) is derived from these files. So every pass sees the same items, and an interrupted export continues
 * at the page where it stopped.
 */

const gzip = promisify(gzipWithCallback);

/** The progress of a segment. */
interface SegmentState {
  readonly bytes: number;
  readonly items: number;
  /** Where the next page begins; absent before the first page and after the last. */
  readonly next?: Readonly<Record<string, AttributeValue>>;
  readonly isFinished: boolean;
}

export interface StagedTable {
  readonly directory: string;
  /** Names of the files, in the order of the segments. */
  readonly files: readonly string[];
  readonly itemCount: number;
}

export interface Staging {
  readonly endpoint: TableEndpoint;
  readonly directory: string;
  readonly segments: number;
  readonly progress: Progress;
  readonly isInterrupted: () => boolean;
}

/**
 * Reads a whole table into `directory`, continuing an earlier attempt that was interrupted.
 *
 * @returns undefined if it was interrupted.
 * @throws {UsageError} if the directory contains something else.
 */
export async function stageTable(staging: Staging): Promise<StagedTable | undefined> {
  const { endpoint, directory, segments } = staging;
  await makeDirectories(directory);
  const others = (await readdir(directory)).filter(
    (name) => !/^segment-\d{4}\.json(\.gz|\.checkpoint(\.partial)?)$/.test(name),
  );
  if (others.length > 0) throw new UsageError(`${directory} contains ${others[0]}, which is not part of an export.`);
  const work = `export of ${endpoint.table.TableArn ?? ''} ${endpoint.table.TableId ?? ''} in ${segments} segments`;
  const counts = Array.from({ length: segments }, () => 0);
  const names = counts.map((_, segment) => `segment-${String(segment).padStart(4, '0')}.json`);
  const report = (segment: number, items: number): void => {
    counts[segment] = items;
    const total = counts.reduce((sum, count) => sum + count, 0);
    staging.progress.update(total, total);
  };
  const done = await Promise.all(
    names.map((name, segment) => {
      const checkpoint = new CheckpointFile<SegmentState>(join(directory, `${name}.checkpoint`), work);
      return stageSegment(staging, { segment, path: join(directory, `${name}.gz`), checkpoint, report });
    }),
  );
  if (!done.every(Boolean)) return undefined;
  return {
    directory,
    files: names.map((name) => `${name}.gz`),
    itemCount: counts.reduce((sum, count) => sum + count, 0),
  };
}

/** @returns whether the segment is finished. */
async function stageSegment(
  { endpoint: { sdk, client, table }, segments, isInterrupted }: Staging,
  part: {
    readonly segment: number;
    readonly path: string;
    readonly checkpoint: CheckpointFile<SegmentState>;
    readonly report: (segment: number, items: number) => void;
  },
): Promise<boolean> {
  const { segment, path, checkpoint, report } = part;
  let state: SegmentState = (await checkpoint.read()) ?? { bytes: 0, items: 0, isFinished: false };
  report(segment, state.items);
  if (state.isFinished) return true;
  const file = await open(path, 'a+');
  try {
    // A page that was written but not recorded is read again.
    await file.truncate(state.bytes);
    while (!state.isFinished) {
      if (isInterrupted()) return false;
      const page = await client.send(
        new sdk.ScanCommand({
          TableName: table.TableName,
          Segment: segment,
          TotalSegments: segments,
          ConsistentRead: true,
          ExclusiveStartKey: revived(state.next),
        }),
      );
      const items = page.Items ?? [];
      let bytes = 0;
      if (items.length > 0) {
        const packed = await gzip(items.map((item) => dynamoDbJsonLine(fromSdkItem(item))).join(''));
        await file.appendFile(packed);
        bytes = packed.length;
      }
      const next = page.LastEvaluatedKey;
      state = {
        bytes: state.bytes + bytes,
        items: state.items + items.length,
        isFinished: next === undefined,
        ...(next !== undefined && { next }),
      };
      if (state.isFinished) await file.sync();
      await checkpoint.write(state);
      report(segment, state.items);
    }
    return true;
  } finally {
    await file.close();
  }
}

/** Parsing JSON turns key bytes into plain objects with numeric names; this converts them back. */
function revived(key: SegmentState['next']): Record<string, AttributeValue> | undefined {
  if (key === undefined) return undefined;
  const entries = Object.entries(key).map(([name, value]): [string, AttributeValue] =>
    value.B === undefined ? [name, value] : [name, { B: Uint8Array.from(Object.values(value.B)) }],
  );
  return Object.fromEntries(entries);
}

/** All items of a staged table, segment by segment. */
export async function* stagedItems({ directory, files }: StagedTable): AsyncGenerator<UncheckedAttributeMap> {
  const bucket = directoryBucket(directory);
  for (const file of files) {
    const records = readRecords(decompress(await bucket.read(file), 'GZIP'), {
      format: 'DYNAMODB_JSON',
      recordBytesMax: serviceLimits.loadRecordBytesMax,
    });
    for await (const record of records) yield itemMapOf(record);
  }
}
