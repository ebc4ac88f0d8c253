import type { JsonObject } from './row.ts';

/**
 * A CreateTable request without the name, from a short notation:
 *
 *     table('pk:S')                                  partition key only
 *     table('pk:S / sk:N')                           with a sort key
 *     table('pk:S / sk:S', { gsis: { gsi1: 'a:S / b:N' }, lsis: { lsi1: 'pk:S / c:S | INCLUDE d,e' } })
 *     table('pk:S', { gsis: { gsi1: 'a:S b:S / c:N d:S | KEYS_ONLY' } })     several attributes per key
 *
 * The projection follows `|`; without it an index projects ALL. Tables are on demand unless `throughput` is given.
 */
export function table(key: string, options: TableOptions = {}): JsonObject {
  const types = new Map<string, string>();
  const keySchema = parseKey(key, types);
  const localSecondaryIndexes = Object.entries(options.lsis ?? {}).map(([name, spec]) => parseIndex(name, spec, types));
  const globalSecondaryIndexes = Object.entries(options.gsis ?? {}).map(([name, spec]) => ({
    ...parseIndex(name, spec, types),
    ...(options.throughput === undefined ? {} : { ProvisionedThroughput: throughputOf(options.throughput) }),
  }));
  return {
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema,
    ...(options.throughput === undefined
      ? { BillingMode: 'PAY_PER_REQUEST' }
      : { ProvisionedThroughput: throughputOf(options.throughput) }),
    ...(localSecondaryIndexes.length === 0 ? {} : { LocalSecondaryIndexes: localSecondaryIndexes }),
    ...(globalSecondaryIndexes.length === 0 ? {} : { GlobalSecondaryIndexes: globalSecondaryIndexes }),
    ...options.more,
  };
}

export interface TableOptions {
  readonly gsis?: Readonly<Record<string, string>>;
  readonly lsis?: Readonly<Record<string, string>>;
  /** Read and write units, which make the table and its global indexes provisioned. */
  readonly throughput?: readonly [read: number, write: number];
  /** Further members of the request. */
  readonly more?: JsonObject;
}

/** The usual tables of the rows. */
export const hashTable: JsonObject = table('pk:S');
export const rangeTable: JsonObject = table('pk:S / sk:S');
export const numberRangeTable: JsonObject = table('pk:S / sk:N');
export const binaryRangeTable: JsonObject = table('pk:S / sk:B');

export function throughputOf([read, write]: readonly [number, number]): JsonObject {
  return { ReadCapacityUnits: read, WriteCapacityUnits: write };
}

function parseIndex(name: string, spec: string, types: Map<string, string>): JsonObject {
  const [key = '', projection = 'ALL'] = spec.split('|').map((part) => part.trim());
  const [type, attributes] = projection.split(' ');
  return {
    IndexName: name,
    KeySchema: parseKey(key, types),
    Projection: {
      ProjectionType: type,
      ...(attributes === undefined ? {} : { NonKeyAttributes: attributes.split(',') }),
    },
  };
}

function parseKey(spec: string, types: Map<string, string>): readonly JsonObject[] {
  const [partition = '', sort = ''] = spec.split('/');
  return [...parseAttributes(partition, 'HASH', types), ...parseAttributes(sort, 'RANGE', types)];
}

function parseAttributes(spec: string, keyType: string, types: Map<string, string>): readonly JsonObject[] {
  const attributes = spec.split(' ').filter((part) => part !== '');
  return attributes.map((attribute) => {
    const [name = '', type = ''] = attribute.split(':');
    types.set(name, type);
    return { AttributeName: name, KeyType: keyType };
  });
}
