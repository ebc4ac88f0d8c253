import { assert } from '../../values/assert.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { freeStreamTime, openStream } from '../streams/stream-switch.ts';
import { streamKey } from '../streams/stream-record.ts';
import { keyArn, managedKeyAlias } from '../schema/encryption.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import { changeTable, type TableChangeInput, type TableChangeOutput } from '../catalog/table-change.ts';
import { checkNotInLifecycle, inUse } from '../schema/table-conflicts.ts';
import type { Table } from '../catalog/table.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import type { ReplicaUpdate } from '../schema/table-update.ts';
import { firstVersion, nextVersion } from '../catalog/item-version.ts';
import { knownRegions } from './known-regions.ts';
import { memberOf } from '../catalog/open-replication.ts';
import { redefine } from './receive-definition.ts';
import { sendMessage } from './receive-message.ts';
import { type ReplicaAnswer, ReplicaUnreachableError } from './replica-message.ts';
import { definitionOf, type ReplicaDefinition, withMember } from './replication-change.ts';
import type { MemberRecord, ReplicaOverrides } from '../catalog/replication-record.ts';
import { sharedSettingsOf } from '../catalog/shared-settings.ts';
import type { ReplicaAction } from './validate-replica-updates.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** The table before and after. The service's answer shows the replicas as they were before. */
export interface UpdatedReplicas {
  readonly table: Table;
  readonly before: TableRecord;
}

/**
 * Adds or removes a replica of a table, or changes overrides. The table's record determines all further work,
 * which replication does; see `replicate-table.ts`.
 *
 * @throws {ValidationException} | {ResourceNotFoundException} | {ResourceInUseException}
 */
export async function updateReplicas(
  services: EngineServices,
  context: RequestContext,
  tableName: string,
  actions: readonly ReplicaAction[],
): Promise<UpdatedReplicas> {
  for (const action of actions) checkRegion(services, context, regionOf(action));
  const seen = await lookAtTarget(services, context, tableName, actions);
  const streamSinceMs = await freeStreamTime(services, context, tableName);
  let before: TableRecord | undefined;
  const change = (input: TableChangeInput): TableChangeOutput => {
    before = input.record;
    checkNotBusy(input.record);
    let changed: TableChangeOutput = { record: input.record };
    for (const action of actions)
      changed = apply(services, { ...input, record: changed.record }, action, seen, streamSinceMs);
    return changed;
  };
  const keys = [streamKey(context, tableName, streamSinceMs)];
  const table = await changeTable(services, context, tableName, change, keys);
  assert(before !== undefined, 'the change has seen the record');
  return { table, before };
}

function regionOf(action: ReplicaAction): string {
  switch (action.kind) {
    case 'create':
      return action.create.regionName;
    case 'delete':
      return action.regionName;
    case 'update':
      return action.update.regionName;
  }
}

function checkRegion({ replicaLinks }: EngineServices, { region }: RequestContext, regionName: string): void {
  if (regionName === region) {
    throw new ValidationException(
      'Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.',
    );
  }
  if (knownRegions.includes(regionName) || replicaLinks?.has(regionName) === true) return;
  const supported = [...knownRegions, ...(replicaLinks?.keys() ?? [])].filter(
    (name, at, all) => all.indexOf(name) === at,
  );
  throw new ValidationException(
    `Region ${regionName} is not supported. The latest version of global tables are only supported in the following regions: [${supported.join(', ')}]`,
  );
}

type Seen = Extract<ReplicaAnswer, { readonly kind: 'inspected' }> | undefined;

/** Reads what exists in the region of a replica that will be added or removed. */
async function lookAtTarget(
  services: EngineServices,
  { accountId }: RequestContext,
  tableName: string,
  actions: readonly ReplicaAction[],
): Promise<Seen> {
  const action = actions.find(({ kind }) => kind !== 'update');
  if (action === undefined) return undefined;
  const region = regionOf(action);
  try {
    const answer = await sendMessage(services, { kind: 'inspect', accountId, region, tableName });
    return answer.kind === 'inspected' ? answer : undefined;
  } catch (error) {
    if (!(error instanceof ReplicaUnreachableError)) throw error;
    throw new ValidationException(`Failed to access the region: ‘${region}’. ${error.message}`);
  }
}

/** One change at a time: the service, too, refuses others meanwhile. */
export function checkNotBusy(record: TableRecord): void {
  checkNotInLifecycle(record);
  const isMoving = record.replication?.members.some(({ state }) => state === 'creating' || state === 'deleting');
  const hasIndexOnItsWay = record.globalIndexes.some(({ phase }) => phase !== undefined);
  if (isMoving === true || hasIndexOnItsWay || record.transition !== undefined) throw inUse();
}

function apply(
  services: EngineServices,
  input: TableChangeInput,
  action: ReplicaAction,
  seen: Seen,
  streamSinceMs: number,
): TableChangeOutput {
  switch (action.kind) {
    case 'create':
      return add(services, input, action.create, seen, streamSinceMs);
    case 'delete':
      return remove(services, input, action.regionName, seen);
    case 'update':
      return override(services, input, action.update);
  }
}

function add(
  services: EngineServices,
  input: TableChangeInput,
  create: NonNullable<ReplicaUpdate['create']>,
  seen: Seen,
  streamSinceMs: number,
): TableChangeOutput {
  const { record, nowMs, untilMs, spaces, values } = input;
  const { regionName } = create;
  if (seen?.exists === true || isMember(record, regionName)) {
    throw new ValidationException(
      `Failed to create a the new replica of table with name: ‘${record.tableName}’ because one or more replicas already existed as tables.`,
    );
  }
  if (record.billingMode === 'PROVISIONED' && record.replication === undefined) {
    throw new ValidationException('Table write capacity should either be Pay-Per-Request or AutoScaled.');
  }
  const kmsMasterKeyId = keyOfNewReplica(record, create);
  const streamed =
    record.stream === undefined && values[0] === undefined
      ? openStream(
          { ...record, streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' } },
          {
            sinceMs: Math.max(streamSinceMs, (record.streamSinceMs ?? 0) + 1),
            enabledFromMs: untilMs,
            spaces,
            limits: services.limits,
          },
        )
      : { record, writes: [] };
  if (streamed.record.stream === undefined) throw inUse(); // another stream was enabled in the same millisecond
  const definition =
    record.replication === undefined ? newGroup(streamed.record, nowMs) : definitionOf(record.replication);
  const known = definition.members.find((member) => member.regionName === regionName);
  const overrides = overridesOf({}, create, definition);
  const member: MemberRecord = {
    regionName,
    version: nextVersion(known?.version, nowMs, record.region),
    state: 'creating',
    source: record.region,
    addedAtMs: nowMs,
    notBeforeMs: untilMs,
    overrides,
    ...(kmsMasterKeyId !== undefined && { kmsMasterKeyId }),
  };
  const changed = redefine(
    { ...input, record: updating(streamed.record, untilMs) },
    withMember(definition, member),
    services,
  );
  return { record: changed.record, writes: [...streamed.writes, ...(changed.writes ?? [])] };
}

function updating(record: TableRecord, untilMs: number): TableRecord {
  return { ...record, transition: { status: 'UPDATING', untilMs, change: 'replica' } };
}

function newGroup(record: TableRecord, nowMs: number): ReplicaDefinition {
  const self: MemberRecord = {
    regionName: record.region,
    version: nextVersion(undefined, nowMs, record.region),
    state: 'active',
    addedAtMs: record.createdAtMs,
    notBeforeMs: 0,
    overrides: {},
    ...(record.sseSpecification?.kmsMasterKeyId !== undefined && {
      kmsMasterKeyId: record.sseSpecification.kmsMasterKeyId,
    }),
  };
  return {
    groupId: record.tableId,
    members: [self],
    settings: sharedSettingsOf(record),
    settingsVersion: { ...firstVersion, timeMs: nowMs, region: record.region },
  };
}

/** A table with a customer managed key has one in every region; other tables have none. */
function keyOfNewReplica(
  record: TableRecord,
  { regionName, kmsMasterKeyId }: NonNullable<ReplicaUpdate['create']>,
): string | undefined {
  const { sseSpecification, accountId } = record;
  const place = { accountId, region: regionName };
  const isCustomers = sseSpecification !== undefined && sseSpecification.isManaged !== true;
  if (!isCustomers) {
    if (kmsMasterKeyId === undefined) {
      return sseSpecification === undefined ? undefined : keyArn(managedKeyAlias, place);
    }
    throw keyForEachReplica();
  }
  if (kmsMasterKeyId === undefined) throw keyForEachReplica();
  if (kmsMasterKeyId === managedKeyAlias) {
    throw invalidParameter('All replica keys must either be Customer Managed CMK or AWS Managed CMK.');
  }
  return keyArn(kmsMasterKeyId, place);
}

function keyForEachReplica(): ValidationException {
  return invalidParameter('KMSMasterKeyId must be specified for each replica.');
}

function remove(services: EngineServices, input: TableChangeInput, regionName: string, seen: Seen): TableChangeOutput {
  const { record, nowMs, untilMs } = input;
  const { replication } = record;
  const member = replication && memberOf(replication, regionName);
  if (replication === undefined || member === undefined || member.state === 'gone') throw notPartOfIt(regionName);
  checkIsNoSource(record, regionName, nowMs);
  if (seen?.deletionProtectionEnabled === true) throw protectedReplica(record.tableName, regionName);
  const leaving: MemberRecord = {
    ...member,
    state: 'deleting',
    version: nextVersion(member.version, nowMs, record.region),
    notBeforeMs: untilMs,
  };
  return redefine(
    { ...input, record: updating(record, untilMs) },
    withMember(definitionOf(replication), leaving),
    services,
  );
}

/** @throws {ValidationException} while a replica exists that was created from this one less than a day ago. */
export function checkIsNoSource({ replication }: TableRecord, regionName: string, nowMs: number): void {
  const made = replication?.members.some(
    (member) => member.state !== 'gone' && member.source === regionName && member.addedAtMs + dayMs > nowMs,
  );
  if (made !== true) return;
  throw new ValidationException(
    'Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table in the last 24 hours.',
  );
}

export function protectedReplica(tableName: string, regionName: string): ValidationException {
  return new ValidationException(
    `Cannot delete table ${tableName} in region ${regionName} because it has deletion protection enabled. Disable deletion protection first.`,
  );
}

function override(
  services: EngineServices,
  input: TableChangeInput,
  update: NonNullable<ReplicaUpdate['update']>,
): TableChangeOutput {
  const { record, nowMs, untilMs } = input;
  const { replication } = record;
  const { regionName } = update;
  const member = replication && memberOf(replication, regionName);
  if (replication === undefined || member === undefined || member.state === 'gone') throw notPartOfIt(regionName);
  if (update.kmsMasterKeyId !== undefined) throw keyForEachReplica();
  checkOverrides(record, update);
  const changed: MemberRecord = {
    ...member,
    overrides: overridesOf(member.overrides, update, replication),
    version: nextVersion(member.version, nowMs, record.region),
    notBeforeMs: untilMs,
  };
  return redefine(
    { ...input, record: updating(record, untilMs) },
    withMember(definitionOf(replication), changed),
    services,
  );
}

function checkOverrides({ billingMode }: TableRecord, update: NonNullable<ReplicaUpdate['update']>): void {
  const all = [update, ...(update.globalSecondaryIndexes ?? [])];
  if (billingMode === 'PAY_PER_REQUEST' && all.some((part) => part.provisionedThroughputOverride !== undefined)) {
    throw new ValidationException(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
  }
  if (billingMode === 'PROVISIONED' && all.some((part) => part.onDemandThroughputOverride !== undefined)) {
    throw new ValidationException(
      'MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED',
    );
  }
}

/** Setting an override to the value that all replicas share removes it. Indexes that are not named keep theirs. */
function overridesOf(
  present: ReplicaOverrides,
  given: Omit<NonNullable<ReplicaUpdate['update']>, 'regionName'>,
  { settings }: ReplicaDefinition,
): ReplicaOverrides {
  const indexes = { ...present.indexes };
  for (const index of given.globalSecondaryIndexes ?? []) {
    const shared = settings.globalIndexes.find(({ indexName }) => indexName === index.indexName);
    if (shared === undefined) continue; // the service accepts names of indexes that do not exist, and ignores them
    indexes[index.indexName] = {
      ...differing(
        'readCapacityUnits',
        index.provisionedThroughputOverride?.readCapacityUnits ?? indexes[index.indexName]?.readCapacityUnits,
        shared.readCapacityUnits,
      ),
      ...differing(
        'maxReadRequestUnits',
        index.onDemandThroughputOverride?.maxReadRequestUnits ?? indexes[index.indexName]?.maxReadRequestUnits,
        shared.onDemandThroughput?.maxReadRequestUnits,
      ),
    };
  }
  const tableClass = given.tableClassOverride ?? present.tableClass;
  return {
    ...differing(
      'readCapacityUnits',
      given.provisionedThroughputOverride?.readCapacityUnits ?? present.readCapacityUnits,
      settings.readCapacityUnits,
    ),
    ...differing(
      'maxReadRequestUnits',
      given.onDemandThroughputOverride?.maxReadRequestUnits ?? present.maxReadRequestUnits,
      settings.onDemandThroughput?.maxReadRequestUnits,
    ),
    ...(tableClass !== undefined && { tableClass }),
    ...(Object.keys(indexes).length > 0 && { indexes }),
  };
}

function differing<N extends string>(
  name: N,
  value: number | undefined,
  shared: number | undefined,
): { readonly [K in N]?: number } {
  // An object with one member, of this name.
  return (value === undefined || value === shared ? {} : { [name]: value }) as { readonly [K in N]?: number };
}

function isMember({ replication }: TableRecord, regionName: string): boolean {
  const member = replication && memberOf(replication, regionName);
  return member !== undefined && member.state !== 'gone';
}

function notPartOfIt(regionName: string): ValidationException {
  return new ValidationException(
    `Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [${regionName}].`,
  );
}

/**
 * Begins to delete a replica in its own region. It is removed once none of its changes is pending for the others.
 *
 * @throws {ValidationException} | {ResourceInUseException} | {ResourceNotFoundException}
 */
export async function leaveGroup(services: EngineServices, context: RequestContext, tableName: string): Promise<Table> {
  return changeTable(services, context, tableName, (input) => {
    const { record, nowMs, untilMs } = input;
    const { replication } = record;
    const self = replication && memberOf(replication, record.region);
    if (replication === undefined || self === undefined) return { record };
    checkNotInLifecycle(record);
    checkIsNoSource(record, record.region, nowMs);
    if (record.deletionProtectionEnabled) throw protectedReplica(tableName, record.region);
    checkNotBusy(record);
    const leaving: MemberRecord = {
      ...self,
      state: 'deleting',
      version: nextVersion(self.version, nowMs, record.region),
      notBeforeMs: untilMs,
    };
    return redefine(input, withMember(definitionOf(replication), leaving), services);
  });
}
