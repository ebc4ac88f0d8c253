import type { TableRecord, ThroughputRecord } from './table-record.ts';
import { nextVersion } from './item-version.ts';
import { memberOf } from './open-replication.ts';
import type { ReplicaOverrides, ReplicationRecord, SharedGlobalIndex, SharedSettings } from './replication-record.ts';

/*
 * The settings that all replicas of a global table have in common. Each replica stores them in its own record, with its own
 * overrides applied. The shared settings are derived from the record, always with their members in the same order, so that
 * equal settings have equal texts.
 */

/**
 * Derives the shared settings of a table from its record.
 *
 * @param known - the shared settings until now, and the table's overrides: where the record has the value of an override, the
 *   shared value does not change.
 */
export function sharedSettingsOf(
  record: TableRecord,
  known?: { readonly settings: SharedSettings; readonly overrides: ReplicaOverrides },
): SharedSettings {
  const { billingMode, onDemandThroughput, warmThroughput } = record;
  const globalIndexes = record.globalIndexes.filter((index) => index.phase !== 'deleting');
  const used = new Set(
    [record, ...record.localIndexes, ...globalIndexes].flatMap(({ keySchema }) =>
      keySchema.map(({ attributeName }) => attributeName),
    ),
  );
  const tableClass =
    known?.overrides.tableClass !== undefined && record.tableClass === known.overrides.tableClass
      ? known.settings.tableClass
      : record.tableClass;
  const timeToLive = record.timeToLive?.phase?.kind === 'disabling' ? undefined : record.timeToLive?.attributeName;
  return {
    attributeDefinitions: record.attributeDefinitions
      .filter(({ attributeName }) => used.has(attributeName))
      .toSorted((a, b) => (a.attributeName < b.attributeName ? -1 : 1)),
    keySchema: record.keySchema,
    localIndexes: record.localIndexes.map(({ indexName, keySchema, projection }) => ({
      indexName,
      keySchema,
      projection,
    })),
    globalIndexes: globalIndexes
      .map(({ indexName, keySchema, projection, throughput, ...rest }): SharedGlobalIndex => {
        const before = known?.settings.globalIndexes.find((index) => index.indexName === indexName);
        const overridden = known?.overrides.indexes?.[indexName];
        return {
          indexName,
          keySchema,
          projection,
          ...units(throughput, before, overridden?.readCapacityUnits),
          ...onDemand(rest.onDemandThroughput, before, overridden?.maxReadRequestUnits),
          ...(rest.warmThroughput !== undefined && { warmThroughput: rest.warmThroughput }),
        };
      })
      .toSorted((a, b) => (a.indexName < b.indexName ? -1 : 1)),
    billingMode,
    ...units(record.throughput, known?.settings, known?.overrides.readCapacityUnits),
    ...onDemand(onDemandThroughput, known?.settings, known?.overrides.maxReadRequestUnits),
    ...(warmThroughput !== undefined && { warmThroughput }),
    ...(timeToLive !== undefined && { timeToLive }),
    ...(tableClass !== undefined && { tableClass }),
    encryption: known?.settings.encryption === 'customer' ? 'customer' : encryptionOf(record),
    streamViewType:
      known?.settings.streamViewType ?? record.streamSpecification?.streamViewType ?? 'NEW_AND_OLD_IMAGES',
  };
}

function units(
  { readCapacityUnits, writeCapacityUnits }: Pick<ThroughputRecord, 'readCapacityUnits' | 'writeCapacityUnits'>,
  before: { readonly readCapacityUnits: number } | undefined,
  overridden: number | undefined,
): Pick<SharedSettings, 'readCapacityUnits' | 'writeCapacityUnits'> {
  const isOverride = before !== undefined && overridden === readCapacityUnits;
  return { readCapacityUnits: isOverride ? before.readCapacityUnits : readCapacityUnits, writeCapacityUnits };
}

function onDemand(
  present: TableRecord['onDemandThroughput'],
  before: Pick<SharedSettings, 'onDemandThroughput'> | undefined,
  overridden: number | undefined,
): Pick<SharedSettings, 'onDemandThroughput'> {
  const isOverride = before !== undefined && overridden !== undefined && overridden === present?.maxReadRequestUnits;
  const maxReadRequestUnits = isOverride
    ? before.onDemandThroughput?.maxReadRequestUnits
    : present?.maxReadRequestUnits;
  const maxWriteRequestUnits = present?.maxWriteRequestUnits;
  if (maxReadRequestUnits === undefined && maxWriteRequestUnits === undefined) return {};
  return {
    onDemandThroughput: {
      ...(maxReadRequestUnits !== undefined && { maxReadRequestUnits }),
      ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
    },
  };
}

/** A key of the account itself has an ARN built from its alias. Any other key was named by the user. */
function encryptionOf({ sseSpecification }: TableRecord): SharedSettings['encryption'] {
  if (sseSpecification === undefined) return 'default';
  return sseSpecification.isManaged === true ? 'managed' : 'customer';
}

/**
 * The record after a change, with the new shared settings if the change affects them: from then on they are pending for the
 * other replicas. A change that came from another replica already includes them.
 */
export function withChangedSettings(before: TableRecord, after: TableRecord, nowMs: number): TableRecord {
  const { replication } = after;
  if (replication === undefined || before.replication?.settings !== replication.settings) return after;
  const overrides = memberOf(replication, after.region)?.overrides ?? {};
  const known = { settings: replication.settings, overrides };
  const settings = changedMembers(
    sharedSettingsOf(before, known),
    sharedSettingsOf(after, known),
    replication.settings,
  );
  if (settings === undefined) return after;
  const settingsVersion = nextVersion(replication.settingsVersion, nowMs, after.region);
  const changed: ReplicationRecord = { ...replication, settings, settingsVersion };
  return { ...after, replication: changed };
}

/**
 * Applies only the difference made by this change: the record may lag behind the settings in other respects, while an index of the
 * same name is still being removed.
 */
function changedMembers(
  before: SharedSettings,
  after: SharedSettings,
  settings: SharedSettings,
): SharedSettings | undefined {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof SharedSettings)[]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return undefined;
  const kept = Object.entries(settings).filter(([name]) => !changed.includes(name as keyof SharedSettings));
  const taken = Object.entries(after).filter(([name]) => changed.includes(name as keyof SharedSettings));
  // The members have one type, and come from two objects of this type.
  return Object.fromEntries([...kept, ...taken]) as unknown as SharedSettings;
}
