import type { KeyAttributeType } from '../../values/attribute-value.ts';
import { OpenChangeLog } from '../backups/change-log.ts';
import { space, storeKey } from '../layout/spaces.ts';
import { textHash } from '../layout/partition-hash.ts';
import { OpenStream } from '../streams/open-stream.ts';
import type { AttributeDefinition, KeySchemaElement, ProjectionType, TableStatus } from './table-description.ts';
import type { GlobalIndexRecord, LocalIndexRecord, TableRecord } from './table-record.ts';

export interface KeyAttribute {
  readonly attributeName: string;
  readonly attributeType: KeyAttributeType;
}

/** A key schema with its types: one partition attribute and at most one sort attribute, up to four of each in an index. */
export interface KeySchema {
  readonly partition: readonly KeyAttribute[];
  readonly sort: readonly KeyAttribute[];
}

export interface SecondaryIndex {
  readonly kind: 'local' | 'global';
  readonly indexName: string;
  readonly space: number;
  readonly keySchema: KeySchema;
  /** All key attributes of the index, partition attributes first. */
  readonly keyAttributes: readonly KeyAttribute[];
  readonly projectionType: ProjectionType;
  /** Names of what an entry holds: index key, table key, projected attributes. Undefined for ALL. */
  readonly projectedNames: ReadonlySet<string> | undefined;
  /** Whether item writes maintain it. */
  readonly written: boolean;
  /** Whether Query and Scan may read it. */
  readonly readable: boolean;
}

/** The items of a table by the time at which they expire; see `ttl/expiry-index.ts`. */
export interface ExpiryIndex {
  readonly space: number;
  readonly attributeName: string;
  /** False while items that are older than the index may be missing from it. */
  readonly complete: boolean;
}

/** A table record made ready for use. Immutable: a changed record gives a new one. */
export class Table {
  readonly record: TableRecord;
  readonly keySchema: KeySchema;
  /** Partition key attribute. */
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute | undefined;
  readonly localIndexes: readonly SecondaryIndex[];
  readonly globalIndexes: readonly SecondaryIndex[];
  /** Every index that item writes maintain. */
  readonly writtenIndexes: readonly SecondaryIndex[];
  /** Maintained by item writes, where time to live is enabled or being enabled. */
  readonly expiryIndex: ExpiryIndex | undefined;
  /** Where item writes record what they change, when the stream is on. */
  readonly stream: OpenStream | undefined;
  /** Where item writes keep what they replace, when somebody may want it back. */
  readonly changeLog: OpenChangeLog | undefined;
  readonly fenceKey: Buffer;
  readonly fence: Buffer;

  constructor(record: TableRecord) {
    this.record = record;
    this.keySchema = resolveKeySchema(record.keySchema, record.attributeDefinitions);
    this.partitionKey = this.keySchema.partition[0] as KeyAttribute; // CreateTable demands one
    this.sortKey = this.keySchema.sort[0];
    this.localIndexes = record.localIndexes.map((index) => this.#index('local', index));
    this.globalIndexes = record.globalIndexes.map((index) => this.#index('global', index));
    this.writtenIndexes = [...this.localIndexes, ...this.globalIndexes].filter((index) => index.written);
    this.expiryIndex = expiryIndexOf(record);
    this.stream = openStreamOf(record);
    this.changeLog = record.changeLog && new OpenChangeLog(record.changeLog.space);
    this.fenceKey = fenceKey(record.accountId, record.region, record.tableName);
    this.fence = fenceOf(record);
  }

  get tableName(): string {
    return this.record.tableName;
  }

  get arn(): string {
    return `arn:aws:dynamodb:${this.record.region}:${this.record.accountId}:table/${this.record.tableName}`;
  }

  /** Key attributes of the table, partition key first. */
  get keyAttributes(): readonly KeyAttribute[] {
    return this.sortKey === undefined ? [this.partitionKey] : [this.partitionKey, this.sortKey];
  }

  status(nowMs: number): TableStatus {
    const { transition } = this.record;
    return transition !== undefined && nowMs < transition.untilMs ? transition.status : 'ACTIVE';
  }

  /** True once a deletion has run its time: the name is free, and nothing answers under it. */
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
    const keyAttributes = [...keySchema.partition, ...keySchema.sort];
    const projectionType = record.projection.projectionType ?? 'ALL';
    const phase = 'phase' in record ? record.phase : undefined;
    return {
      kind,
      indexName: record.indexName,
      space: record.space,
      keySchema,
      keyAttributes,
      projectionType,
      projectedNames:
        projectionType === 'ALL'
          ? undefined
          : new Set([
              ...[...this.keySchema.partition, ...this.keySchema.sort, ...keyAttributes].map(
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

function openStreamOf({ stream, streamSpecification }: TableRecord): OpenStream | undefined {
  const viewType = streamSpecification?.streamViewType;
  if (stream === undefined || viewType === undefined) return undefined;
  return new OpenStream(stream.space, viewType, stream.openShards);
}

/** The key under which a table's fence lies: eight bytes that change with every change of the table's record. */
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
        // CreateTable and UpdateTable demand a definition for every key attribute.
        attributeType: definitions.find((definition) => definition.attributeName === attributeName)
          ?.attributeType as KeyAttributeType,
      }));
  return { partition: attributesOf('HASH'), sort: attributesOf('RANGE') };
}
