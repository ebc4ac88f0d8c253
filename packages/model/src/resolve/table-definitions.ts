import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Model } from '../model.ts';
import type { PlaceInfo, TableInfo } from './resolved.ts';
import { resolve } from './resolve.ts';
import { slotsOf } from './slots.ts';

/** The CreateTable inputs of a model's tables, on demand. `names` are the tables' names that differ. */
export function tableDefinitions(
  model: object,
  names: { readonly [table: string]: string } = {},
): CreateTableCommandInput[] {
  const { tables } = resolve(model as Model);
  return [...tables.values()].map((table) => definitionOf(table, names[table.name] ?? table.name));
}

/** The attribute by which the service expires items of each table, if there is one. */
export function timeToLiveAttributes(model: object): { readonly [table: string]: string } {
  const { tables } = resolve(model as Model);
  return Object.fromEntries(
    [...tables.values()].flatMap(({ name, expires }) => (expires === undefined ? [] : [[name, expires]])),
  );
}

function definitionOf(table: TableInfo, TableName: string): CreateTableCommandInput {
  const places = [table.place, ...table.indexes];
  const types = new Map(places.flatMap(slotsOf).map(({ attribute, type }) => [attribute, type]));
  const indexes = (kind: PlaceInfo['kind']): NonNullable<CreateTableCommandInput['LocalSecondaryIndexes']> =>
    table.indexes
      .filter((place) => place.kind === kind)
      .map((place) => ({ IndexName: place.name, KeySchema: keySchema(place), Projection: projectionOf(place) }));
  const [global, local] = [indexes('global'), indexes('local')];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema(table.place),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(table.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream as 'NEW_IMAGE' } }),
  };
}

function keySchema({ partition, sort }: PlaceInfo): NonNullable<CreateTableCommandInput['KeySchema']> {
  return [
    ...partition.map(({ attribute }) => ({ AttributeName: attribute, KeyType: 'HASH' as const })),
    ...sort.map(({ attribute }) => ({ AttributeName: attribute, KeyType: 'RANGE' as const })),
  ];
}

function projectionOf({ project }: PlaceInfo): {
  ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  NonKeyAttributes?: string[];
} {
  return typeof project === 'string'
    ? { ProjectionType: project }
    : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...project] };
}
