import type { Limits } from '../../values/limits.ts';
import { keyArn, managedKeyAlias } from '../schema/encryption.ts';
import { newGlobalIndex } from '../schema/new-table-record.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import type { EncryptionRecord, GlobalIndexRecord, TableRecord } from '../catalog/table-record.ts';
import type { MemberRecord, SharedGlobalIndex, SharedSettings } from '../catalog/replication-record.ts';

export interface ApplySettingsOptions {
  readonly nowMs: number;
  readonly spaces: SpaceCounter;
  readonly limits: Limits;
}

/**
 * Applies the shared settings and the replica's own overrides to its record. The work that any change of an index causes
 * backfills new indexes and purges removed ones; the time to live is handled likewise.
 *
 * Nothing is refused: a setting that one replica has accepted holds for all.
 */
export function applySettings(
  record: TableRecord,
  settings: SharedSettings,
  self: MemberRecord,
  options: ApplySettingsOptions,
): TableRecord {
  const { overrides } = self;
  const { onDemandThroughput: _o, warmThroughput: _w, tableClass: _c, sseSpecification: _s, ...rest } = record;
  const onDemandThroughput = withMaximum(settings.onDemandThroughput, overrides.maxReadRequestUnits);
  const tableClass = overrides.tableClass ?? settings.tableClass;
  const sseSpecification = encryptionFor(record, settings, self);
  const isSwitched = settings.billingMode === 'PAY_PER_REQUEST' && record.billingMode === 'PROVISIONED';
  return withTimeToLive(
    {
      ...rest,
      billingMode: settings.billingMode,
      ...(isSwitched && { onDemandSinceMs: options.nowMs }),
      throughput: {
        ...record.throughput,
        readCapacityUnits: overrides.readCapacityUnits ?? settings.readCapacityUnits,
        writeCapacityUnits: settings.writeCapacityUnits,
      },
      ...(onDemandThroughput !== undefined && { onDemandThroughput }),
      ...(settings.warmThroughput !== undefined && { warmThroughput: settings.warmThroughput }),
      ...(tableClass !== undefined && { tableClass }),
      ...(tableClass !== record.tableClass && { tableClassSinceMs: options.nowMs }),
      ...(sseSpecification !== undefined && { sseSpecification }),
      attributeDefinitions: definitionsFor(record, settings),
      globalIndexes: indexesFor(record, settings, self, options),
    },
    settings.timeToLive,
    options,
  );
}

function withMaximum(
  shared: SharedSettings['onDemandThroughput'],
  maxReadRequestUnits: number | undefined,
): SharedSettings['onDemandThroughput'] {
  return maxReadRequestUnits === undefined ? shared : { ...shared, maxReadRequestUnits };
}

function encryptionFor(
  record: TableRecord,
  { encryption }: SharedSettings,
  { kmsMasterKeyId }: MemberRecord,
): EncryptionRecord | undefined {
  switch (encryption) {
    case 'default':
      return undefined;
    case 'managed':
      return { enabled: true, sseType: 'KMS', kmsMasterKeyId: keyArn(managedKeyAlias, record), isManaged: true };
    case 'customer':
      // A replica keeps its original key.
      return kmsMasterKeyId === undefined
        ? record.sseSpecification
        : { enabled: true, sseType: 'KMS', kmsMasterKeyId: keyArn(kmsMasterKeyId, record) };
  }
}

/** Definitions of indexes that are being deleted stay until the deletion is finished. */
function definitionsFor(record: TableRecord, settings: SharedSettings): TableRecord['attributeDefinitions'] {
  const told = new Set(settings.attributeDefinitions.map(({ attributeName }) => attributeName));
  return [
    ...settings.attributeDefinitions,
    ...record.attributeDefinitions.filter(({ attributeName }) => !told.has(attributeName)),
  ];
}

function indexesFor(
  record: TableRecord,
  settings: SharedSettings,
  self: MemberRecord,
  options: ApplySettingsOptions,
): readonly GlobalIndexRecord[] {
  const told = new Map(settings.globalIndexes.map((index) => [index.indexName, index]));
  const kept = record.globalIndexes.map((index): GlobalIndexRecord => {
    if (index.phase === 'deleting') return index;
    const shared = told.get(index.indexName);
    if (shared !== undefined && haveSameKeys(shared, index)) {
      told.delete(index.indexName);
      return withCapacity(index, shared, self);
    }
    const { transition: _ended, warmTransition: _given, ...rest } = index;
    return { ...rest, phase: 'deleting' };
  });
  // An index that was deleted and created again elsewhere is created here once the old one is gone.
  const deleting = new Set(kept.filter(({ phase }) => phase === 'deleting').map(({ indexName }) => indexName));
  const created = [...told.values()]
    .filter(({ indexName }) => !deleting.has(indexName))
    .map((shared): GlobalIndexRecord => {
      const table = { billingMode: settings.billingMode, region: record.region, limits: options.limits };
      const made = newGlobalIndex(indexInput(shared, settings), table, options.spaces);
      return withCapacity(
        { ...made, phase: 'backfilling', transition: { status: 'CREATING', untilMs: options.nowMs } },
        shared,
        self,
      );
    });
  return [...kept, ...created];
}

/** The index as a request to create it. Its warm throughput is set later, because it may be below the minimum for requests. */
export function indexInput(
  { indexName, keySchema, projection, readCapacityUnits, writeCapacityUnits }: SharedGlobalIndex,
  { billingMode }: SharedSettings,
): Parameters<typeof newGlobalIndex>[0] {
  const provisionedThroughput = billingMode === 'PROVISIONED' ? { readCapacityUnits, writeCapacityUnits } : undefined;
  return { indexName, keySchema, projection, provisionedThroughput };
}

function haveSameKeys(a: SharedGlobalIndex, b: GlobalIndexRecord): boolean {
  const text = ({ keySchema, projection }: Pick<SharedGlobalIndex, 'keySchema' | 'projection'>): string =>
    JSON.stringify([keySchema, projection]);
  return text(a) === text(b);
}

function withCapacity(index: GlobalIndexRecord, shared: SharedGlobalIndex, self: MemberRecord): GlobalIndexRecord {
  const { onDemandThroughput: _before, ...rest } = index;
  const overrides = self.overrides.indexes?.[index.indexName];
  const onDemandThroughput = withMaximum(shared.onDemandThroughput, overrides?.maxReadRequestUnits);
  return {
    ...rest,
    throughput: {
      ...index.throughput,
      readCapacityUnits: overrides?.readCapacityUnits ?? shared.readCapacityUnits,
      writeCapacityUnits: shared.writeCapacityUnits,
    },
    ...(onDemandThroughput !== undefined && { onDemandThroughput }),
    ...(shared.warmThroughput !== undefined && { warmThroughput: shared.warmThroughput }),
  };
}

/** If the attribute differs from the present one, that one is first disabled; then the pending setting enables the new one. */
function withTimeToLive(
  record: TableRecord,
  attributeName: string | undefined,
  { nowMs, spaces }: ApplySettingsOptions,
): TableRecord {
  const { timeToLive, ...rest } = record;
  if (timeToLive?.phase?.kind === 'disabling' || timeToLive?.attributeName === attributeName) return record;
  if (timeToLive !== undefined) {
    const disabling = { ...timeToLive, phase: { kind: 'disabling', untilMs: nowMs } as const };
    return { ...rest, timeToLive: disabling, timeToLiveChangedAtMs: nowMs };
  }
  if (attributeName === undefined) return record;
  const enabling = { attributeName, space: spaces.next(), phase: { kind: 'enabling', untilMs: nowMs } as const };
  return { ...record, timeToLive: enabling, timeToLiveChangedAtMs: nowMs };
}
