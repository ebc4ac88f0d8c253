import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type PlainItem = Record<string, unknown>;

/** A stored item, or the image of one in a stream, without type descriptors: numbers as numbers, sets as sets. */
export function plainItem(item: Readonly<Record<string, AttributeValue>>): PlainItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: AttributeValue): unknown {
  if (value.N !== undefined) return Number(value.N);
  if (value.NULL !== undefined) return null;
  if (value.M !== undefined) return plainItem(value.M);
  if (value.L !== undefined) return value.L.map(plainValue);
  if (value.NS !== undefined) return new Set(value.NS.map(Number));
  if (value.SS !== undefined) return new Set(value.SS);
  return value.S ?? value.BOOL ?? value.B ?? new Set(value.BS);
}
