import { assert } from '../../values/assert.ts';
import type { KeyAttributeType } from '../../values/attribute-value.ts';
import { space, storeKey } from '../layout/spaces.ts';
import { textHash } from '../layout/partition-hash.ts';
import { OpenReplication } from './open-replication.ts';
import type { ChooseBucket } from './statistics.ts';
import type {
  AttributeDefinition,
  KeySchemaElement,
  ProjectionType,
  TableStatus,
  VectorDistanceFunction,
} from './table-description.ts';
import type { GlobalIndexRecord, LocalIndexRecord, TableRecord, VectorIndexRecord } from './table-record.ts';

export interface KeyAttribute {
  readonly attributeName: string;
  readonly attributeType: KeyAttributeType;
}

/** A key schema with its types: one partition attribute and at most one sort attribute; up to four of each in an index. */
export interface KeySchema {
  readonly partition: readonly KeyAttribute[];
  readonly sort: readonly KeyAttribute[];
}

interface TableIndex {
  readonly indexName: string;
  readonly space: number;
  readonly keySchema: KeySchema;
  /** All key attributes of the index, partition attributes first. */
  readonly keyAttributes: readonly KeyAttribute[];
  readonly projectionType: ProjectionType;
  /** Names of the attributes in an entry: index key, table key, projected attributes. Undefined for ALL. */
  readonly projectedNames: ReadonlySet<string> | undefined;
  /** Whether item writes maintain it. */
  readonly written: boolean;
  /** Whether it is complete and readable. */
  readonly readable: boolean;
}

/** An index that Query and Scan may read. */
export interface SecondaryIndex extends TableIndex {
  readonly kind: 'local' | 'global';
}

/** An index that SearchVectors reads. Its key is the HASH attribute of its search schema, if it has one. */
export interface VectorIndex extends TableIndex {
  readonly kind: 'vector';
  readonly vector: {
    readonly attributeName: string;
    readonly dimensions: number;
    readonly distanceFunction: VectorDistanceFunction;
  };
  /** All attributes of its search schema. */
  readonly searchAttributes: readonly KeyAttribute[];
  readonly journalSpace: number;
}

/** An index that item writes maintain. */
export type WrittenIndex = SecondaryIndex | VectorIndex;

/** The items of a table by expiry time; see `followers/expiry/expiry-index.ts`. */
export interface ExpiryIndex {
  readonly space: number;
  readonly attributeName: string;
  /** False while items that are older than the index may be missing from it. */
  readonly complete: boolean;
}

/** A table record in a form that operations can use. Immutable: a changed record gives a new one. */
export class Table {
  readonly record: TableRecord;
  readonly keySchema: KeySchema;
  /** Partition key attribute. */
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute | undefined;
  readonly localIndexes: readonly SecondaryIndex[];
  readonly globalIndexes: readonly SecondaryIndex[];
  readonly vectorIndexes: readonly VectorIndex[];
  /** Every index that item writes maintain. */
  readonly writtenIndexes: readonly WrittenIndex[];
  readonly writtenVectorIndexes: readonly VectorIndex[];
  /** Maintained by item writes, if time to live is enabled or being enabled. */
  readonly expiryIndex: ExpiryIndex | undefined;
  /** Set if the table has replicas in other regions: item writes then keep versions, and mark items as pending. */
  readonly replication: OpenReplication | undefined;
  /** Key attributes of the table, partition key first. */
  readonly keyAttributes: readonly KeyAttribute[];
  /** Attributes whose types a written item must match: key attributes of the table, and those that its maintained indexes read. */
  readonly keyedNames: readonly string[];
  readonly fenceKey: Buffer;
  readonly fence: Buffer;
  /** The bucket for counts of items that this server changes; absent where a single server writes. */
  readonly bucketOfServer: ChooseBucket | undefined;
  #derived: { readonly by: (table: Table) => unknown; readonly value: unknown } | undefined;

  constructor(record: TableRecord, bucketOfServer?: ChooseBucket) {
    this.record = record;
    this.bucketOfServer = bucketOfServer;
    this.keySchema = resolveKeySchema(record.keySchema, record.attributeDefinitions);
    this.partitionKey = this.keySchema.partition[0] as KeyAttribute; // CreateTable requires one
    this.sortKey = this.keySchema.sort[0];
    this.localIndexes = record.localIndexes.map((index) => this.#index('local', index));
    this.globalIndexes = record.globalIndexes.map((index) => this.#index('global', index));
    this.vectorIndexes = (record.vectorIndexes ?? []).map((index) => this.#vectorIndex(index));
    this.writtenVectorIndexes = this.vectorIndexes.filter((index) => index.written);
    this.writtenIndexes = [
      ...[...this.localIndexes, ...this.globalIndexes].filter((index) => index.written),
      ...this.writtenVectorIndexes,
    ];
    this.expiryIndex = expiryIndexOf(record);
    this.replication = record.replication && new OpenReplication(record.region, record.replication);
    this.keyAttributes = this.sortKey === undefined ? [this.partitionKey] : [this.partitionKey, this.sortKey];
    this.keyedNames = [
      ...this.keyAttributes.map(({ attributeName }) => attributeName),
      ...this.writtenIndexes.flatMap(attributesReadBy),
    ];
    this.fenceKey = fenceKey(record.accountId, record.region, record.tableName);
    this.fence = fenceOf(record);
  }

  /** A value that an upper layer derives from this table: created on first use, and kept with the table. For one function only. */
  derived<T>(derive: (table: Table) => T): T {
    this.#derived ??= { by: derive, value: derive(this) };
    assert(this.#derived.by === derive, 'one thing is derived from a table');
    return this.#derived.value as T; // created by the same function
  }

  get tableName(): string {
    return this.record.tableName;
  }

  get arn(): string {
    return `arn:aws:dynamodb:${this.record.region}:${this.record.accountId}:table/${this.record.tableName}`;
  }

  status(nowMs: number): TableStatus {
    const { transition } = this.record;
    return transition !== undefined && nowMs < transition.untilMs ? transition.status : 'ACTIVE';
  }

  /** True once a deletion has reached its end: the name is free, and requests find no table. */
  isGone(nowMs: number): boolean {
    const { transition } = this.record;
    return transition?.status === 'DELETING' && nowMs >= transition.untilMs;
  }

  index(indexName: string): SecondaryIndex | undefined {
    return (
      this.localIndexes.find((index) => index.indexName === indexName) ??
      this.globalIndexes.find((index) => index.indexName === indexName)
    );
  }

  #index(kind: 'local' | 'global', record: LocalIndexRecord | GlobalIndexRecord): SecondaryIndex {
    const keySchema = resolveKeySchema(record.keySchema, this.record.attributeDefinitions);
    const phase = 'phase' in record ? record.phase : undefined;
    return { kind, ...this.#tableIndex(record, keySchema, phase, []) };
  }

  #vectorIndex(record: VectorIndexRecord): VectorIndex {
    const { searchSchema = [], vectorAttribute, dimensions, distanceFunction, journalSpace } = record;
    const elements = searchSchema.map(({ attributeName, searchSchemaElementType }) => ({
      attributeName,
      keyType: searchSchemaElementType === 'HASH' ? ('HASH' as const) : ('RANGE' as const),
    }));
    const { partition, sort: filters } = resolveKeySchema(elements, this.record.attributeDefinitions);
    return {
      kind: 'vector',
      ...this.#tableIndex(record, { partition, sort: [] }, record.phase, filters),
      vector: { attributeName: vectorAttribute.attributeName, dimensions, distanceFunction },
      searchAttributes: [...partition, ...filters],
      journalSpace,
    };
  }

  /** @param alsoHeld - further attributes in an entry. */
  #tableIndex(
    record: LocalIndexRecord | VectorIndexRecord,
    keySchema: KeySchema,
    phase: GlobalIndexRecord['phase'],
    alsoHeld: readonly KeyAttribute[],
  ): TableIndex {
    const keyAttributes = [...keySchema.partition, ...keySchema.sort];
    const projectionType = record.projection.projectionType ?? 'ALL';
    return {
      indexName: record.indexName,
      space: record.space,
      keySchema,
      keyAttributes,
      projectionType,
      projectedNames:
        projectionType === 'ALL'
          ? undefined
          : new Set([
              ...[...this.keySchema.partition, ...this.keySchema.sort, ...keyAttributes, ...alsoHeld].map(
                (key) => key.attributeName,
              ),
              ...(record.projection.nonKeyAttributes ?? []),
            ]),
      written: phase !== 'deleting',
      readable: phase === undefined,
    };
  }
}

function expiryIndexOf({ timeToLive }: TableRecord): ExpiryIndex | undefined {
  if (timeToLive === undefined || timeToLive.phase?.kind === 'disabling') return undefined;
  const { space: expirySpace, attributeName, phase } = timeToLive;
  return { space: expirySpace, attributeName, complete: phase === undefined };
}

/** The attributes of an item that an index reads. */
export function attributesReadBy(index: WrittenIndex): readonly string[] {
  const keys = index.kind === 'vector' ? index.searchAttributes : index.keyAttributes;
  const names = keys.map((key) => key.attributeName);
  return index.kind === 'vector' ? [index.vector.attributeName, ...names] : names;
}

/** The key of a table's fence: eight bytes that change with every change of the table's record. */
export function fenceKey(accountId: string, region: string, tableName: string): Buffer {
  return storeKey(space.fences, textHash(accountId, region, tableName));
}

export function fenceOf(record: TableRecord): Buffer {
  const fence = Buffer.allocUnsafe(8);
  fence.writeUInt32BE(record.version, 0);
  fence.writeUInt32BE(record.itemSpace, 4);
  return fence;
}

export function tableRecordKey(accountId: string, region: string, tableName: string): Buffer {
  return storeKey(space.tables, textHash(accountId, region), Buffer.from(tableName, 'utf8'));
}

function resolveKeySchema(
  elements: readonly KeySchemaElement[],
  definitions: readonly AttributeDefinition[],
): KeySchema {
  const attributesOf = (keyType: 'HASH' | 'RANGE'): readonly KeyAttribute[] =>
    elements
      .filter((element) => element.keyType === keyType)
      .map(({ attributeName }) => ({
        attributeName,
        // CreateTable and UpdateTable require a definition for every key attribute.
        attributeType: definitions.find((definition) => definition.attributeName === attributeName)
          ?.attributeType as KeyAttributeType,
      }));
  return { partition: attributesOf('HASH'), sort: attributesOf('RANGE') };
}
