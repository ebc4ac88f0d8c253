import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { sameValue } from '../../values/value-problem.ts';
import type { CallOptions } from '../../wire/client.ts';
import { inspect, NotToldError } from '../../wire/inspect.ts';
import { readPastRecords, shardIdsOf } from '../../wire/past-records.ts';
import { isExpiry, isNewer, type StreamRecord } from '../../wire/stream-records.ts';
import type { TableDescription } from '../../wire/table-description.ts';

/** The changes of an item, the newest first, as docs/inspect.md describes them. */
export interface ItemHistoryAnswer {
  /** Null if the table keeps no former states. */
  readonly source: 'recovery' | 'stream' | null;
  readonly changes: readonly ItemChange[];
  readonly isComplete: boolean;
}

export interface ItemChange {
  readonly id: string;
  readonly atEpochMs: number;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly isExpiry: boolean | null;
  readonly before: AttributeMap | null;
  readonly after: AttributeMap | null;
}

/** Maximum records of the whole stream that are searched for one item. */
const recordsReadMax = 20_000;

/** From the server; from an endpoint that has no history, by the stream of the table. */
export async function readItemHistory(
  table: TableDescription,
  key: AttributeMap,
  options: CallOptions,
): Promise<ItemHistoryAnswer> {
  const query = new URLSearchParams({ key: JSON.stringify(key) }).toString();
  try {
    return await inspect<ItemHistoryAnswer>(`history/${encodeURIComponent(table.TableName)}?${query}`, options);
  } catch (error) {
    if (!(error instanceof NotToldError)) throw error;
    return historyFromStream(table, key, options);
  }
}

async function historyFromStream(
  { LatestStreamArn: arn, StreamSpecification }: TableDescription,
  key: AttributeMap,
  options: CallOptions,
): Promise<ItemHistoryAnswer> {
  if (arn === undefined || StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    return { source: null, changes: [], isComplete: true };
  const own: StreamRecord[] = [];
  const shards = await shardIdsOf(arn, options);
  const count = await readPastRecords(
    arn,
    shards,
    options,
    (records) => own.push(...records.filter(({ dynamodb }) => sameValue({ M: dynamodb.Keys }, { M: key }))),
    recordsReadMax,
  );
  return {
    source: 'stream',
    changes: own.toSorted((a, b) => (isNewer(a, b) ? -1 : 1)).map(changeOf),
    isComplete: count < recordsReadMax,
  };
}

function changeOf(record: StreamRecord): ItemChange {
  const { OldImage, NewImage, ApproximateCreationDateTime: seconds = 0, SequenceNumber } = record.dynamodb;
  return {
    id: SequenceNumber,
    atEpochMs: seconds * 1000,
    eventName: record.eventName,
    isExpiry: isExpiry(record),
    before: OldImage ?? null,
    after: NewImage ?? null,
  };
}
