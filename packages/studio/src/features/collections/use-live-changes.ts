import { useCallback, useEffect, useRef, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { useModels } from '../../app/models.ts';
import { useWrittenItems } from '../../app/written-items.ts';
import type { CollectionSource } from '../../grid/collection-source.ts';
import { itemId } from '../../grid/rows.ts';
import { sameValue } from '../../values/value-problem.ts';
import { followEvents, type StreamStatus } from '../../wire/event-stream.ts';
import type { StreamRecord } from '../../wire/stream-records.ts';
import { keyNamesOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';
import type { RowMark } from './grid.tsx';

/** What others wrote since the items were read. Nothing moves: changed items change in place, deleted ones are struck through. */
export interface LiveChanges {
  readonly status: StreamStatus | 'off';
  readonly marks: ReadonlyMap<string, RowMark>;
  /** New items, which are shown when they are read. */
  readonly fresh: number;
  /** The items are read again. */
  readonly clear: () => void;
}

interface LiveOptions {
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
  readonly source: CollectionSource;
  /** Typed value of the partition key that is shown; all if absent. */
  readonly isShown: (item: AttributeMap) => boolean;
  /** Called with the number of records that have arrived. */
  readonly onReceived: (count: number) => void;
}

const batchMs = 200;
/** Beyond that, new items are counted as "more". */
const freshMax = 10_000;
const noMarks: ReadonlyMap<string, RowMark> = new Map();
const changed: RowMark = { kind: 'changed', text: 'Changed a moment ago' };
const deleted: RowMark = { kind: 'filtered', text: 'Deleted a moment ago' };

/** Follows the stream of a table while its items are shown, if it has the new images and the server sends events. */
export function useLiveChanges({ table, index, source, isShown, onReceived }: LiveOptions): LiveChanges {
  const { status: models } = useModels();
  const { StreamEnabled = false, StreamViewType = '' } = table.StreamSpecification ?? {};
  const isOn = StreamEnabled && StreamViewType.startsWith('NEW') && models === 'ready';
  const [status, setStatus] = useState<StreamStatus>('connecting');
  const [marks, setMarks] = useState(noMarks);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef({ table, index, source, isShown, onReceived });
  latest.current = { table, index, source, isShown, onReceived };
  const clear = useCallback(() => {
    setMarks(noMarks);
    setFresh(new Set());
  }, []);
  useEffect(() => clear(), [source, clear]);
  // What this page wrote is shown already.
  const own = useRef(new Map<string, AttributeMap | undefined>());
  useWrittenItems((written) => {
    for (const { tableName, key, item } of written)
      if (tableName === table.TableName) own.current.set(itemId(key, keyNamesOf(table)), item);
  });
  useEffect(() => {
    if (!isOn) return undefined;
    let waiting: StreamRecord[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      timer = undefined;
      latest.current.onReceived(waiting.length);
      const records = waiting.filter((record) => !isOwn(record, own.current, latest.current.table));
      waiting = [];
      const found = changesIn(records, latest.current);
      if (found.replaced.size > 0) latest.current.source.replaceItems(found.replaced);
      if (found.marks.size > 0) setMarks((before) => new Map([...before, ...found.marks]));
      if (found.fresh.length > 0)
        setFresh((before) => (before.size >= freshMax ? before : new Set([...before, ...found.fresh])));
    };
    const stop = followEvents({
      topics: ['record'],
      tables: [table.TableName],
      onStatus: setStatus,
      onEvent: (topic, data) => {
        if (topic !== 'record') return;
        waiting.push((data as { record: StreamRecord }).record); // as docs/inspect.md describes
        timer ??= setTimeout(flush, batchMs);
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [isOn, table.TableName]);
  return { status: isOn ? status : 'off', marks, fresh: fresh.size, clear };
}

function isOwn(
  { dynamodb: { Keys, NewImage } }: StreamRecord,
  own: Map<string, AttributeMap | undefined>,
  table: TableDescription,
): boolean {
  const id = itemId(Keys, keyNamesOf(table));
  if (!own.has(id)) return false;
  const item = own.get(id);
  own.delete(id);
  return NewImage === undefined || item === undefined ? NewImage === item : sameValue({ M: NewImage }, { M: item });
}

function changesIn(
  records: readonly StreamRecord[],
  { table, index, source, isShown }: Omit<LiveOptions, 'onReceived'>,
): {
  readonly replaced: ReadonlyMap<string, AttributeMap>;
  readonly marks: ReadonlyMap<string, RowMark>;
  readonly fresh: readonly string[];
} {
  const tableKeys = keyNamesOf(table);
  const indexKeys = Object.values(keyNamesOf(index ?? table)).filter((name) => name !== undefined);
  const held = new Map(source.snapshot().items.map((item) => [itemId(item, tableKeys), item]));
  const replaced = new Map<string, AttributeMap>();
  const marks = new Map<string, RowMark>();
  const fresh: string[] = [];
  for (const { dynamodb } of records) {
    const id = itemId(dynamodb.Keys, tableKeys);
    const { NewImage } = dynamodb;
    const item = replaced.get(id) ?? held.get(id);
    if (item === undefined) {
      if (NewImage !== undefined && isShown(NewImage) && indexKeys.every((name) => name in NewImage)) fresh.push(id);
      continue;
    }
    if (NewImage === undefined) marks.set(id, deleted);
    else if (!sameValue({ M: item }, { M: NewImage })) {
      // In an index, an item that moves or is not there as a whole is marked only.
      const isInPlace = indexKeys.every((name) => sameValue(item[name], NewImage[name]));
      if (isInPlace && (index === undefined || index.Projection.ProjectionType === 'ALL')) replaced.set(id, NewImage);
      marks.set(id, changed);
    }
  }
  return { replaced, marks, fresh };
}
