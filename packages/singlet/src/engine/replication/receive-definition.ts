import { assert } from '../../values/assert.ts';
import type { StoreWrite } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { uuidOf } from '../layout/uuid.ts';
import type { EngineServices } from '../services.ts';
import { freeStreamTime, openStream } from '../streams/stream-switch.ts';
import { streamKey } from '../streams/stream-record.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../catalog/account-usage.ts';
import { spawnIndexWork, spawnPurge, spawnTimeToLiveWork } from '../jobs/background-work.ts';
import { newTableRecord } from '../schema/new-table-record.ts';
import { SpaceCounter, spaceCounterKey } from '../catalog/space-counter.ts';
import { changeTable, type TableChangeInput, type TableChangeOutput } from '../catalog/table-change.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { listedTable, unlistedTable } from '../ttl/time-to-live-tables.ts';
import { applySettings, indexInput } from './apply-settings.ts';
import { compareVersions } from '../catalog/item-version.ts';
import { memberOf } from '../catalog/open-replication.ts';
import type { DefineMessage, ReplicaAnswer } from './replica-message.ts';
import {
  changeReplication,
  definitionOf,
  digestOf,
  mergedDefinition,
  type ReplicaDefinition,
} from './replication-change.ts';

/** Lasts until it is ended explicitly. */
export const untilTold: number = Number.MAX_SAFE_INTEGER;

/** How often it is retried when tables are created or deleted meanwhile. */
const attemptsMax = 8;

type Defined = Extract<ReplicaAnswer, { readonly kind: 'defined' }>;

/**
 * Applies another replica's definition of the global table: what is new here is merged into the table's record, with its
 * consequences. If there is no table, it is created, and is CREATING until it has received the items.
 */
export async function receiveDefinition(services: EngineServices, message: DefineMessage): Promise<Defined> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const table = await services.catalog.load(message, message.tableName);
    const defined = table === undefined ? await create(services, message) : await merge(services, message);
    if (defined !== undefined) return defined;
  }
  return refused;
}

const refused: Defined = { kind: 'defined', outcome: 'refused', digest: '' };

/** @returns undefined if a table has been created meanwhile. */
async function create(services: EngineServices, message: DefineMessage): Promise<Defined | undefined> {
  const { store, environment, limits } = services;
  const { accountId, region, tableName, definition } = message;
  const self = definition.members.find((member) => member.regionName === region);
  if (self === undefined || (self.state !== 'creating' && self.state !== 'active')) return refused;
  const context = { accountId, region };
  const nowMs = environment.clock.nowMs();
  const streamSinceMs = await freeStreamTime(services, context, tableName);
  const tableId = uuidOf(environment.random.bytes(16));
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const keys = [recordKey, usageKey, spaceCounterKey, streamKey(context, tableName, streamSinceMs)];
  return store.write(keys, ([recordValue, usageValue, counterValue, streamValue]) => {
    const isThere = recordValue !== undefined && !new Table(decodeTableRecord(recordKey, recordValue)).isGone(nowMs);
    if (isThere || streamValue !== undefined) return { answer: undefined, writes: [] };
    const usage = decodeAccountUsage(usageValue);
    if (usage.tableCount >= limits.tableCountMax) return { answer: refused, writes: [] };
    const spaces = new SpaceCounter(counterValue);
    const bare = newReplica(services, message, { tableId, nowMs }, spaces);
    const settled = applySettings(bare, definition.settings, self, { nowMs, spaces, limits });
    // There are no items yet, so the expiry index is complete.
    const { timeToLive } = settled;
    const filled =
      timeToLive === undefined
        ? settled
        : { ...settled, timeToLive: { attributeName: timeToLive.attributeName, space: timeToLive.space } };
    const streamed = openStream(filled, { sinceMs: streamSinceMs, enabledFromMs: nowMs, spaces, limits });
    const change = changeReplication(streamed.record, definition, spaces);
    const { replication } = change.record;
    if (replication === undefined) return { answer: refused, writes: [] };
    const record: TableRecord = { ...change.record, replication: { ...replication, awaitsItemsSince: self.version } };
    return {
      answer: { kind: 'defined', outcome: 'created', digest: digestOf(replication) } as const,
      writes: [
        { key: recordKey, value: encodeTableRecord(recordKey, record) },
        { key: fenceKey(accountId, region, tableName), value: fenceOf(record) },
        { key: usageKey, value: encodeAccountUsage(changedUsage(usage, undefined, record)) },
        ...(timeToLive === undefined ? [] : [listedTable(record)]),
        ...spaces.writes,
        ...streamed.writes,
        ...change.writes,
      ],
    };
  });
}

function newReplica(
  { limits }: EngineServices,
  { accountId, region, tableName, definition: { settings } }: DefineMessage,
  { tableId, nowMs }: { readonly tableId: string; readonly nowMs: number },
  spaces: SpaceCounter,
): TableRecord {
  const { readCapacityUnits, writeCapacityUnits, billingMode, streamViewType } = settings;
  return newTableRecord(
    {
      request: {
        tableName,
        streamSpecification: { streamEnabled: true, streamViewType },
        provisionedThroughput: billingMode === 'PROVISIONED' ? { readCapacityUnits, writeCapacityUnits } : undefined,
      },
      definition: {
        attributeDefinitions: settings.attributeDefinitions,
        keySchema: settings.keySchema,
        localIndexes: settings.localIndexes,
        globalIndexes: settings.globalIndexes.map((index) => indexInput(index, settings)),
        vectorIndexes: [], // an index of the replica's own, as in the service
        billingMode,
      },
      resourcePolicy: undefined, // each replica has its own
      context: { accountId, region },
      tableId,
      nowMs,
      untilMs: untilTold,
      limits,
    },
    spaces,
  );
}

/** @returns undefined if the table has been deleted meanwhile. */
async function merge(services: EngineServices, message: DefineMessage): Promise<Defined | undefined> {
  let purge: number | undefined;
  let outcome: Defined = refused;
  const change = (input: TableChangeInput): TableChangeOutput => {
    purge = undefined;
    outcome = refused;
    const known = input.record.replication;
    if (known === undefined || known.groupId !== message.definition.groupId) return { record: input.record };
    const merged = mergedDefinition(definitionOf(known), message.definition);
    const digest = digestOf(merged);
    outcome = { kind: 'defined', outcome: 'known', digest };
    if (digest === digestOf(known)) return { record: input.record };
    const redefined = redefine(input, merged, services);
    purge = redefined.purge;
    return redefined;
  };
  try {
    const table = await changeTable(services, message, message.tableName, change);
    spawnIndexWork(
      services,
      table,
      table.record.globalIndexes.map(({ indexName }) => indexName),
    );
    spawnTimeToLiveWork(services, table);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
  if (purge !== undefined) spawnPurge(services, purge);
  return outcome;
}

/** How a replica changes under another definition of its global table. */
export function redefine(
  input: TableChangeInput,
  definition: ReplicaDefinition,
  { limits }: Pick<EngineServices, 'limits'>,
): TableChangeOutput & { readonly purge: number | undefined } {
  const { record: before, nowMs, spaces } = input;
  const self = memberOf({ ...noPlaces, ...definition }, before.region);
  assert(self !== undefined, 'a replica is a member of its own global table');
  const settled = applySettings(before, definition.settings, self, { nowMs, spaces, limits });
  const change = changeReplication(withLifecycle(settled, self, nowMs), definition, spaces);
  return { ...change, writes: [...change.writes, ...timeToLiveWrites(before, change.record)] };
}

const noPlaces = { peers: [], versionSpace: 0, tombstoneSpace: 0 };

function withLifecycle(
  record: TableRecord,
  self: NonNullable<ReturnType<typeof memberOf>>,
  nowMs: number,
): TableRecord {
  const { replication, transition, ...rest } = record;
  if (replication === undefined) return record;
  if (self.state === 'deleting' || self.state === 'gone') {
    return { ...rest, replication, transition: { status: 'DELETING', untilMs: untilTold } };
  }
  const { awaitsItemsSince, ...arrived } = replication;
  const hasArrived =
    awaitsItemsSince !== undefined && self.state === 'active' && compareVersions(self.version, awaitsItemsSince) > 0;
  if (hasArrived) return { ...rest, replication: arrived };
  return self.notBeforeMs > nowMs && transition === undefined
    ? { ...record, transition: { status: 'UPDATING', untilMs: self.notBeforeMs, change: 'replica' } }
    : record;
}

function timeToLiveWrites(before: TableRecord, after: TableRecord): readonly StoreWrite[] {
  const isOn = ({ timeToLive }: TableRecord): boolean =>
    timeToLive !== undefined && timeToLive.phase?.kind !== 'disabling';
  if (isOn(before) === isOn(after)) return [];
  return [isOn(after) ? listedTable(after) : unlistedTable(after)];
}
