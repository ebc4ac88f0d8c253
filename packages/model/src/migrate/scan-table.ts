import type { EntityInfo, TableInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { Expression } from '../run/expression.ts';
import type { Traffic } from './traffic.ts';

/** One page of one segment of a table. */
export interface ScannedPage {
  /** Items that were read and paid for. */
  readonly scanned: number;
  /** Those of the requested types. */
  readonly items: readonly StoredItem[];
  /** Where to continue; undefined at the end of the segment. */
  readonly last: StoredItem | undefined;
}

/** A part of a table to read: all items of some types, in one of several segments that do not overlap. */
export interface SegmentRead {
  readonly table: TableInfo;
  readonly types: readonly string[];
  /** Entities whose items may lack the type: items whose keys begin like theirs are read as well. */
  readonly untyped?: readonly EntityInfo[];
  readonly segment: number;
  readonly segments: number;
  /** Items to read per request. A page of 1 MB by default. */
  readonly pageItems?: number | undefined;
}

/** Reads one page with consistent reads, so that it has every item written before. */
export async function scanPage(
  traffic: Traffic,
  read: SegmentRead,
  start: StoredItem | undefined,
): Promise<ScannedPage> {
  const { table, types, untyped = [], segment, segments, pageItems } = read;
  const expression = new Expression();
  const { typeAttribute } = table;
  const filter =
    typeAttribute === undefined
      ? {}
      : {
          FilterExpression: [
            ofTypes(expression, typeAttribute, types),
            ...withoutType(expression, typeAttribute, untyped),
          ].join(' OR '),
        };
  const answer = await traffic.send({
    operation: 'Scan',
    input: {
      TableName: traffic.tableName(table.name),
      ConsistentRead: true,
      ...filter,
      ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
      ...(start !== undefined && { ExclusiveStartKey: start }),
      ...(pageItems !== undefined && { Limit: pageItems }),
      ...expression.attributes(),
    },
  });
  const {
    Items = [],
    ScannedCount = 0,
    LastEvaluatedKey,
  } = answer as {
    readonly Items?: readonly StoredItem[];
    readonly ScannedCount?: number;
    readonly LastEvaluatedKey?: StoredItem;
  };
  return { scanned: ScannedCount, items: Items, last: LastEvaluatedKey };
}

/** All items of some types, page by page. */
export async function* scanItems(traffic: Traffic, read: SegmentRead): AsyncGenerator<StoredItem> {
  let last: StoredItem | undefined;
  do {
    const page = await scanPage(traffic, read, last);
    yield* page.items;
    ({ last } = page);
  } while (last !== undefined);
}

function ofTypes(expression: Expression, typeAttribute: string, types: readonly string[]): string {
  const values = types.map((type) => expression.value({ S: type }));
  return `${expression.name(typeAttribute)} IN (${values.join(', ')})`;
}

/** Items without a type whose keys begin like those of an entity. Their attributes decide whether they belong to it. */
function withoutType(expression: Expression, typeAttribute: string, entities: readonly EntityInfo[]): string[] {
  return entities.map(({ key }) => {
    const begins = [...key.partition, ...key.sort]
      .filter(({ type, template }) => type === 'S' && template.prefix !== '')
      .map(
        ({ attribute, template }) =>
          `begins_with(${expression.name(attribute)}, ${expression.value({ S: template.prefix })})`,
      );
    return `(${[`attribute_not_exists(${expression.name(typeAttribute)})`, ...begins].join(' AND ')})`;
  });
}

/** The type of an item. A table without a type attribute has one entity, the only one of these types. */
export function typeIn({ typeAttribute }: TableInfo, item: StoredItem, types: readonly string[]): string {
  return (typeAttribute === undefined ? types[0] : item[typeAttribute]?.S) ?? '';
}
