import { assert } from '../../values/assert.ts';
import type { AttributeValue } from '../../values/attribute-value.ts';
import {
  encodeKeyPrefix,
  encodeKeySequence,
  encodeKeySequencePrefix,
  encodeKeyValue,
  keyBytesSuccessor,
} from '../../values/key-bytes.ts';
import type { KeyRange as SortKeyRange, ResolvedKeyCondition } from '../../expressions/index.ts';
import { globalIndexHash } from '../followers/indexes/index-entry.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { storeKey } from '../layout/spaces.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';

/** A range of store keys: first, inclusive, and last, exclusive. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** The range of keys that a key condition names, which is always inside one partition. */
export function keyRangeOf(table: Table, index: SecondaryIndex | undefined, condition: ResolvedKeyCondition): KeyRange {
  return index === undefined ? tableRange(table, condition) : indexRange(table, index, condition);
}

/** Sort keys of a table are at the end of the store key, unchanged. */
function tableRange(table: Table, { partition, sortEquals, range }: ResolvedKeyCondition): KeyRange {
  const { partitionKey, sortKey } = table;
  const spaceId = table.record.itemSpace;
  const hash = partitionHash(encodeKeyValue(only(partition), partitionKey.attributeType));
  const at = (value: AttributeValue): Buffer => {
    assert(sortKey !== undefined, 'a sort key condition needs a sort key');
    return storeKey(spaceId, hash, encodeKeyValue(value, sortKey.attributeType));
  };
  const all = prefixRange(storeKey(spaceId, hash));
  if (sortEquals.length > 0) return { from: at(only(sortEquals)), to: justAfter(at(only(sortEquals))) };
  if (range === undefined) return all;
  return bounded(range, {
    all,
    at,
    after: (value) => justAfter(at(value)),
    withPrefix: (prefix) => prefixRange(storeKey(spaceId, hash, encodeKeyPrefix(prefix))),
  });
}

/** Sort keys of an index are followed by the key of the item: a value represents all keys that begin with it. */
function indexRange(
  table: Table,
  index: SecondaryIndex,
  { partition, sortEquals, range }: ResolvedKeyCondition,
): KeyRange {
  const hash =
    index.kind === 'local'
      ? partitionHash(encodeKeyValue(only(partition), table.partitionKey.attributeType))
      : globalIndexHash(partition);
  const at = (...values: readonly AttributeValue[]): Buffer =>
    storeKey(index.space, hash, encodeKeySequence([...sortEquals, ...values]));
  if (range === undefined) return prefixRange(at());
  return bounded(range, {
    all: prefixRange(at()),
    at,
    after: (value) => prefixRange(at(value)).to,
    withPrefix: (prefix) => prefixRange(storeKey(index.space, hash, encodeKeySequencePrefix(sortEquals, prefix))),
  });
}

function bounded(
  { operator, operands }: SortKeyRange,
  keys: {
    readonly all: KeyRange;
    readonly at: (value: AttributeValue) => Buffer;
    /** The first key after all keys of that value. */
    readonly after: (value: AttributeValue) => Buffer;
    readonly withPrefix: (prefix: AttributeValue) => KeyRange;
  },
): KeyRange {
  const [value, high] = operands as [AttributeValue, AttributeValue | undefined]; // every operator has an operand
  switch (operator) {
    case '<':
      return { from: keys.all.from, to: keys.at(value) };
    case '<=':
      return { from: keys.all.from, to: keys.after(value) };
    case '>':
      return { from: keys.after(value), to: keys.all.to };
    case '>=':
      return { from: keys.at(value), to: keys.all.to };
    case 'BETWEEN':
      assert(high !== undefined, 'BETWEEN has two operands');
      return { from: keys.at(value), to: keys.after(high) };
    case 'begins_with':
      return keys.withPrefix(value);
  }
}

/** All keys that begin with these bytes. */
export function prefixRange(prefix: Buffer): KeyRange {
  const to = keyBytesSuccessor(prefix);
  assert(to !== undefined, 'no space number is all ones'); // so some byte of a key can always be raised
  return { from: prefix, to: Buffer.from(to) };
}

/** The smallest key greater than this one. */
export function justAfter(key: Uint8Array): Buffer {
  return Buffer.concat([key, zeroByte]);
}

const zeroByte = Buffer.alloc(1);

function only<T>(values: readonly T[]): T {
  assert(values.length === 1, 'a table key has one partition attribute and at most one sort attribute');
  return values[0] as T;
}
