import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { compareKeys } from '../values/key-order.ts';
import { sameValue } from '../values/value-problem.ts';
import type { StreamRecord } from '../wire/stream-records.ts';
import { itemId } from './rows.ts';
import type { KeyNames } from '../wire/table-description.ts';

// An item collection as it was: the items of now, with the records of the stream undone, the newest first. It needs both images.

/** The records that concern a collection: an image before or after was in it. */
export function recordsOfCollection(
  records: readonly StreamRecord[],
  partitionName: string,
  partition: AttributeValue,
): readonly StreamRecord[] {
  return records.filter(({ dynamodb: { OldImage, NewImage } }) =>
    [OldImage, NewImage].some((image) => sameValue(image?.[partitionName], partition)),
  );
}

export interface PastCollection {
  readonly items: readonly AttributeMap[];
  /** Ids of items that are not now what they were: changed, deleted or added since. */
  readonly changed: ReadonlySet<string>;
  /** How many items that were not there have come since, and are among the changed. */
  readonly added: number;
}

/**
 * @param newestFirst - the records to undo, of this collection.
 * @param keys - of the table or index that the collection is in.
 * @returns its items in the order of the sort key.
 */
export function pastCollection(
  now: readonly AttributeMap[],
  newestFirst: readonly StreamRecord[],
  {
    keys,
    tableKeys,
    partition,
  }: { readonly keys: KeyNames; readonly tableKeys: KeyNames; readonly partition: AttributeValue },
): PastCollection {
  const items = new Map(now.map((item) => [itemId(item, tableKeys), item]));
  const changed = new Set<string>();
  for (const { dynamodb } of newestFirst) {
    const id = itemId(dynamodb.Keys, tableKeys);
    const { OldImage } = dynamodb;
    if (sameValue(OldImage?.[keys.partition], partition) && isIndexed(OldImage, keys)) items.set(id, OldImage);
    else items.delete(id);
    changed.add(id);
  }
  const { sort } = keys;
  const sorted = [...items.values()].sort((a, b) => (sort === undefined ? 0 : compareKeys(a[sort], b[sort])));
  const added = [...changed].filter((id) => !items.has(id)).length;
  return { items: sorted, changed, added };
}

function isIndexed(item: AttributeMap | undefined, { sort }: KeyNames): item is AttributeMap {
  return item !== undefined && (sort === undefined || item[sort] !== undefined);
}
