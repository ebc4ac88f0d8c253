import { useEffect, useMemo, useState } from 'react';
import type { AttributeMap, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import { type PastCollection, pastCollection, recordsOfCollection } from '../../grid/past-collection.ts';
import { countText } from '../../ui/figures.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { readPastRecords, shardIdsOf } from '../../wire/past-records.ts';
import { isNewer, type StreamRecord } from '../../wire/stream-records.ts';
import { keyNamesOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';

/** Maximum records of the whole stream that are searched for those of one collection, and maximum items of the collection. */
export const recordsReadMax = 20_000;
const itemsMax = 20_000;

export interface Past {
  /** The changes of the collection that the stream still has, the oldest first. */
  readonly records: readonly StreamRecord[];
  /** How many of them had happened at the time that is shown. */
  readonly happened: number;
  readonly collection: PastCollection | undefined;
  /** Why there is nothing to show. */
  readonly problem: string | undefined;
  readonly error: Error | undefined;
}

interface PastOptions {
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
  readonly partition: AttributeValue | undefined;
  /** The sequence number of the last change that had happened; `0` is before all of them. Absent: now. */
  readonly time: string | undefined;
  readonly onExchange: (exchange: Exchange) => void;
}

interface Read {
  readonly now: readonly AttributeMap[];
  /** Which limit was reached; then the items as they were cannot be known. */
  readonly limit: 'records' | 'items' | undefined;
  readonly newestFirst: readonly StreamRecord[];
}

/** An item collection at an earlier time, from the records of its table's stream; undefined if the present is shown. */
export function usePast({ table, index, partition, time, onExchange }: PastOptions): Past | undefined {
  const [read, setRead] = useState<Read>();
  const [error, setError] = useState<Error>();
  const problem =
    partition === undefined
      ? 'Query a partition key first: time travel shows one collection.'
      : problemOf(table, index);
  const isOn = time !== undefined && problem === undefined;
  const partitionText = JSON.stringify(partition);
  useEffect(() => {
    if (!isOn) return undefined;
    const abort = new AbortController();
    const options = { signal: abort.signal, onExchange };
    const value = JSON.parse(partitionText) as AttributeValue; // as it was serialised above
    const load = async (): Promise<void> => {
      try {
        // The records first: what is written meanwhile is then in the items only, and a later record of it is not undone.
        const records: StreamRecord[] = [];
        const arn = table.LatestStreamArn ?? '';
        const name = keyNamesOf(index ?? table).partition;
        const count = await readPastRecords(
          arn,
          await shardIdsOf(arn, options),
          options,
          (some) => records.push(...recordsOfCollection(some, name, value)),
          recordsReadMax,
        );
        const now = await readCollection(table, index, value, options);
        const limit = count >= recordsReadMax ? 'records' : now.length >= itemsMax ? 'items' : undefined;
        setRead({ now, limit, newestFirst: records.sort((a, b) => (isNewer(a, b) ? -1 : 1)) });
      } catch (cause) {
        if (!abort.signal.aborted) setError(cause as Error); // call() throws errors only
      }
    };
    void load();
    return () => abort.abort();
  }, [isOn, partitionText, table.TableName, table.LatestStreamArn, index?.IndexName, onExchange]);
  return useMemo(() => {
    if (time === undefined) return undefined;
    const none = { records: [], happened: 0, collection: undefined };
    if (read === undefined || partition === undefined || problem !== undefined) return { ...none, problem, error };
    if (read.limit !== undefined) return { ...none, problem: limitTexts[read.limit], error };
    const { now, newestFirst } = read;
    const undone = newestFirst.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === time);
    const toUndo = newestFirst.slice(0, undone < 0 ? newestFirst.length : undone);
    const names = { keys: keyNamesOf(index ?? table), tableKeys: keyNamesOf(table), partition };
    return {
      records: newestFirst.toReversed(),
      happened: newestFirst.length - toUndo.length,
      collection: pastCollection(now, toUndo, names),
      problem: undefined,
      error,
    };
  }, [read, error, time, partitionText, problem, table, index]);
}

const limitTexts = {
  records: `The stream of this table has more than ${countText(recordsReadMax)} records, the most that are read here, so earlier states cannot be shown.`,
  items: `This collection has more than ${countText(itemsMax)} items, the most that are read here, so earlier states cannot be shown.`,
} as const;

function problemOf(table: TableDescription, index: TableIndex | undefined): string | undefined {
  if (table.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    return 'Time travel needs a stream with new and old images, and this table has none.';
  if (index !== undefined && index.Projection.ProjectionType !== 'ALL')
    return `${index.IndexName} projects only some attributes: time travel shows the table.`;
  return undefined;
}

async function readCollection(
  table: TableDescription,
  index: TableIndex | undefined,
  partition: AttributeValue,
  options: { readonly signal: AbortSignal; readonly onExchange: (exchange: Exchange) => void },
): Promise<readonly AttributeMap[]> {
  const items: AttributeMap[] = [];
  let after: AttributeMap | undefined;
  do {
    const page: { Items: readonly AttributeMap[]; LastEvaluatedKey?: AttributeMap } = await call(
      'Query',
      {
        TableName: table.TableName,
        ...(index && { IndexName: index.IndexName }),
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': keyNamesOf(index ?? table).partition },
        ExpressionAttributeValues: { ':pk': partition },
        ...(index?.kind !== 'global' && { ConsistentRead: true }),
        ...(after && { ExclusiveStartKey: after }),
      },
      options,
    );
    items.push(...page.Items);
    after = page.LastEvaluatedKey;
  } while (after !== undefined && items.length < itemsMax);
  return items;
}
