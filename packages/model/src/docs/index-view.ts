import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { KeyAttributeInfo, PlaceInfo, TableInfo } from '../resolve/resolved.ts';
import { fromAttributeValue, type StoredItem } from '../run/attribute-value.ts';

/** A table or index as it is stored: item collections, each in the order of its sort keys. */
export interface IndexView {
  /** The table or index that is shown. */
  readonly place: PlaceInfo;
  /** Its item collections, each with sample items in the order of their keys. */
  readonly collections: readonly {
    readonly partition: string;
    readonly items: readonly {
      readonly sort: string;
      readonly type: string;
      readonly attributes: readonly (readonly [string, string])[];
    }[];
  }[];
}

/** Lays stored items out as they are in a table or index, ordered by bytes. */
export function indexView(table: TableInfo, place: PlaceInfo, items: readonly StoredItem[]): IndexView {
  const { typeAttribute } = table;
  const keys = [...place.partition, ...place.sort];
  const here = items.filter((item) => keys.every(({ attribute }) => item[attribute] !== undefined));
  const hidden = new Set<string | undefined>([...keys.map(({ attribute }) => attribute), typeAttribute]);
  const collections = new Map<string, StoredItem[]>();
  for (const item of here) {
    const partition = keyText(place.partition, item);
    collections.set(partition, [...(collections.get(partition) ?? []), item]);
  }
  const ordered = [...collections].sort(([a], [b]) => compareUtf8(a, b));
  return {
    place,
    collections: ordered.map(([partition, found]) => ({
      partition,
      items: found
        .sort((a, b) => compareKeys(place.sort, a, b))
        .map((item) => ({
          sort: keyText(place.sort, item),
          type: typeAttribute !== undefined && isHeld(table, place, typeAttribute) ? shown(item[typeAttribute]) : '',
          attributes: Object.entries(item)
            .filter(([name]) => !hidden.has(name) && isHeld(table, place, name))
            .map(([name, value]) => [name, shown(value)] as const),
        })),
    })),
  };
}

/** An index entry has the projected attributes, and always the key of its item in the table. */
function isHeld(table: TableInfo, { project }: PlaceInfo, name: string): boolean {
  const keys = [...table.place.partition, ...table.place.sort];
  return (
    project === 'ALL' ||
    keys.some(({ attribute }) => attribute === name) ||
    (project !== 'KEYS_ONLY' && project.includes(name))
  );
}

function keyText(keys: readonly KeyAttributeInfo[], item: StoredItem): string {
  return keys.map(({ attribute }) => shown(item[attribute])).join(' / ');
}

/** In the service's order: text by its UTF-8 bytes, numbers by value. */
function compareKeys(keys: readonly KeyAttributeInfo[], a: StoredItem, b: StoredItem): number {
  for (const { attribute, type } of keys) {
    const [left, right] = [a[attribute], b[attribute]];
    const order = type === 'N' ? Number(left?.N) - Number(right?.N) : compareUtf8(shown(left), shown(right));
    if (order !== 0) return order;
  }
  return 0;
}

/** By UTF-8 bytes, that is, by code points. */
function compareUtf8(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function shown(value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  const plain = fromAttributeValue(value);
  if (typeof plain === 'string') return plain;
  if (plain instanceof Set) return `{${[...plain].map(String).join(', ')}}`;
  if (plain instanceof Uint8Array) return `${plain.length} bytes`;
  return typeof plain === 'bigint' ? String(plain) : (JSON.stringify(plain) ?? '');
}
