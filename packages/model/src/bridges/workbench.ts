import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { operationOf } from '../check/operation.ts';
import type {
  EntityInfo,
  KeyAttributeInfo,
  KeySlot,
  PlaceInfo,
  ResolvedModel,
  TableInfo,
} from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { sampleItems } from '../samples/sample-items.ts';

/** A data model as NoSQL Workbench reads and writes it. Fields that are not declared here are ignored and not written. */
export interface WorkbenchModel {
  /** The model's name. */
  readonly ModelName: string;
  /** Author, dates and description. */
  readonly ModelMetadata?: {
    readonly Author?: string;
    readonly DateCreated?: string;
    readonly DateLastModified?: string;
    readonly Description?: string;
    readonly AWSService?: string;
    readonly Version?: string;
  };
  /** The tables. */
  readonly DataModel: readonly WorkbenchTable[];
}

/** A table in a file of NoSQL Workbench. The names are those of the file. */
export interface WorkbenchTable {
  /** The table's name. */
  readonly TableName: string;
  /** Its partition and sort key. */
  readonly KeyAttributes: WorkbenchKey;
  /** Its other attributes with their types. */
  readonly NonKeyAttributes?: readonly WorkbenchAttribute[];
  /** Its facets: what the model calls entities. */
  readonly TableFacets?: readonly WorkbenchFacet[];
  /** Its global indexes with keys and projections. */
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName: string;
    readonly KeyAttributes: WorkbenchKey;
    readonly Projection?: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
  }[];
  /** Sample items. */
  readonly TableData?: readonly WorkbenchItem[];
  /** How the tool connects to data; kept as it is. */
  readonly DataAccess?: object;
  /** Provisioned or on demand. */
  readonly BillingMode?: string;
}

export interface WorkbenchFacet {
  readonly FacetName: string;
  readonly KeyAttributeAlias?: { readonly PartitionKeyAlias?: string; readonly SortKeyAlias?: string };
  readonly NonKeyAttributes?: readonly string[];
  readonly TableData?: readonly WorkbenchItem[];
  readonly DataAccess?: object;
}

interface WorkbenchKey {
  readonly PartitionKey: WorkbenchAttribute;
  readonly SortKey?: WorkbenchAttribute;
}

interface WorkbenchAttribute {
  readonly AttributeName: string;
  readonly AttributeType: string;
}

/** DynamoDB's JSON: binary values are base64. */
type WorkbenchItem = { readonly [attribute: string]: unknown };

/** How a file of NoSQL Workbench is written. */
export interface WorkbenchOptions {
  /** The author that the file names. */
  readonly author?: string;
  /** Milliseconds since 1970, for the file's dates. */
  readonly now: number;
  /** Sample items of each entity. 10 by default. */
  readonly items?: number;
}

const service = 'Amazon DynamoDB';
const noAccess = { MySql: {} } as const;

/**
 * A model for NoSQL Workbench: tables, indexes, attributes, sample items, and a facet for each entity with its key templates as
 * aliases. Its description has the access patterns and what the format cannot hold. The format does not support indexes with several
 * attributes in one key, or local indexes.
 */
export function toWorkbench(model: Model, { author = 'singlet', now, items = 10 }: WorkbenchOptions): WorkbenchModel {
  const resolved = resolve(model);
  const samples = [...sampleItems(resolved, { count: () => items, now })];
  const date = dateText(now);
  return {
    ModelName: model.name,
    ModelMetadata: {
      Author: author,
      DateCreated: date,
      DateLastModified: date,
      Description: descriptionOf(resolved),
      AWSService: service,
      Version: '3.0',
    },
    DataModel: [...resolved.tables.values()].map((table) => {
      const entities = [...resolved.entities.values()].filter((entity) => entity.table === table);
      return tableOf(
        table,
        entities,
        samples.filter(({ entity }) => entity.table === table).map(({ stored }) => stored),
      );
    }),
  };
}

function tableOf(table: TableInfo, entities: readonly EntityInfo[], stored: readonly StoredItem[]): WorkbenchTable {
  const keys = new Set([...table.place.partition, ...table.place.sort].map(({ attribute }) => attribute));
  const types = new Map<string, string>();
  if (table.typeAttribute !== undefined) types.set(table.typeAttribute, 'S');
  for (const { partition, sort } of table.indexes)
    for (const { attribute, type } of [...partition, ...sort]) types.set(attribute, type);
  for (const item of stored)
    for (const [name, value] of Object.entries(item))
      if (!types.has(name)) types.set(name, Object.keys(value)[0] ?? 'S');
  for (const { attributes } of entities)
    for (const { stored: name } of attributes.values()) if (!types.has(name)) types.set(name, 'S');
  const indexes = table.indexes.filter(fits);
  return {
    TableName: table.name,
    KeyAttributes: keyOf(table.place),
    NonKeyAttributes: [...types]
      .filter(([name]) => !keys.has(name))
      .map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    TableFacets: entities.map((entity) => facetOf(entity, keys)),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((place) => ({
        IndexName: place.name,
        KeyAttributes: keyOf(place),
        Projection: projectionOf(place),
      })),
    }),
    TableData: stored.map(jsonItem),
    DataAccess: noAccess,
    BillingMode: 'PAY_PER_REQUEST',
  };
}

function fits({ kind, partition, sort }: PlaceInfo): boolean {
  return kind === 'global' && partition.length === 1 && sort.length <= 1;
}

function keyOf({ partition, sort }: PlaceInfo): WorkbenchKey {
  const [PartitionKey = { AttributeName: '', AttributeType: 'S' }] = partition.map(keyAttribute);
  const [SortKey] = sort.map(keyAttribute);
  return { PartitionKey, ...(SortKey !== undefined && { SortKey }) };
}

function keyAttribute({ attribute, type }: KeyAttributeInfo): WorkbenchAttribute {
  return { AttributeName: attribute, AttributeType: type };
}

function projectionOf({ project }: PlaceInfo): { ProjectionType: string; NonKeyAttributes?: readonly string[] } {
  return typeof project === 'string'
    ? { ProjectionType: project }
    : { ProjectionType: 'INCLUDE', NonKeyAttributes: project };
}

function facetOf({ name, key, attributes, indexes, table }: EntityInfo, keys: ReadonlySet<string>): WorkbenchFacet {
  const [partition] = key.partition;
  const [sort] = key.sort;
  const held = [
    ...[...attributes.values()].map(({ stored }) => stored),
    ...(table.typeAttribute === undefined ? [] : [table.typeAttribute]),
    ...indexes.flatMap(({ place }) => [...place.partition, ...place.sort].map(({ attribute }) => attribute)),
  ];
  return {
    FacetName: name,
    KeyAttributeAlias: {
      PartitionKeyAlias: partition?.template.source ?? '',
      ...(sort !== undefined && { SortKeyAlias: sort.template.source }),
    },
    NonKeyAttributes: [...new Set(held)].filter((attribute) => !keys.has(attribute)),
    DataAccess: noAccess,
  };
}

/** Text for what has no field in the format: patterns and how they are served, keys in indexes, and indexes that do not fit. */
function descriptionOf({ patterns, entities, tables }: ResolvedModel): string {
  const served = [...patterns.values()].map((pattern) => {
    const operation = operationOf(pattern);
    const { id, actor } = pattern.need;
    const head = [id, pattern.name, actor === undefined ? undefined : `(${actor})`]
      .filter((part) => part !== undefined)
      .join(' ');
    return `${head}: ${operation === undefined ? 'not served' : `${operation.operation} on ${operation.place}`}`;
  });
  const keys = [...entities.values()].flatMap(({ name, indexes }) =>
    indexes.flatMap(({ place, forms }) =>
      forms.map(({ when, partition, sort }) => {
        const templates = [...partition, ...sort].map(({ template }: KeySlot) => template.source).join(' | ');
        return `${name} in ${place.name}: ${templates}${when === undefined ? '' : ` when ${JSON.stringify(when)}`}`;
      }),
    ),
  );
  const missing = [...tables.values()].flatMap(({ indexes }) =>
    indexes.filter((place) => !fits(place)).map(({ name }) => name),
  );
  return [
    ...(served.length > 0 ? ['Access patterns', ...served, ''] : []),
    ...(keys.length > 0 ? ['Keys in indexes', ...keys, ''] : []),
    ...(missing.length > 0 ? [`Indexes that this format cannot hold: ${missing.join(', ')}`] : []),
  ]
    .join('\n')
    .trim();
}

/** `Mar 03, 2022, 11:29 PM` */
function dateText(at: number): string {
  const date = new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hour12: true,
    timeZone: 'UTC',
  });
  return date.format(at).replaceAll('\u202f', ' ');
}

function jsonItem(item: StoredItem): WorkbenchItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, jsonValue(value)]));
}

function jsonValue(value: AttributeValue): unknown {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(jsonValue) };
  return value.M === undefined ? value : { M: jsonItem(value.M) };
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
